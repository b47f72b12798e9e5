#include "options.hpp"

#include "civitas/base/error.hpp"

#include <charconv>
#include <cmath>
#include <utility>

namespace civitas::train {

Precision parse_precision(std::string_view name) {
    if (name == "fp32") return Precision::fp32;
    if (name == "bf16") return Precision::bf16;
    if (name == "fp64") return Precision::fp64;
    throw UsageError(text("unknown precision '", name, "'"), Hint{"fp32, bf16 or fp64"});
}

std::string_view to_string(Precision precision) {
    switch (precision) {
        case Precision::fp32: return "fp32";
        case Precision::bf16: return "bf16";
        case Precision::fp64: return "fp64";
    }
    return "";
}

DeviceKind parse_device(std::string_view name) {
    if (name == "cpu") return DeviceKind::cpu;
    if (name == "cuda") return DeviceKind::cuda;
    throw UsageError(text("unknown device '", name, "'"), Hint{"cpu or cuda"});
}

std::vector<DeviceKind> parse_devices(std::string_view names) {
    std::vector<DeviceKind> devices;
    for (bool more = !names.empty(); more;) {
        const auto comma = names.find(',');
        devices.push_back(parse_device(names.substr(0, comma)));
        more = comma != std::string_view::npos;
        if (more) names.remove_prefix(comma + 1);
    }
    return devices;
}

std::string_view to_string(DeviceKind device) { return device == DeviceKind::cpu ? "cpu" : "cuda"; }

std::string to_string(const std::vector<DeviceKind>& devices) {
    std::string words;
    for (const DeviceKind device : devices)
        words += text(words.empty() ? "" : ",", to_string(device));
    return words;
}

StageOrder parse_stage_order(std::string_view name) {
    if (name == "auto") return StageOrder::automatic;
    if (name == "same") return StageOrder::same;
    if (name == "reversed") return StageOrder::reversed;
    throw UsageError(text("unknown placement '", name, "'"), Hint{"auto, same or reversed"});
}

std::string_view to_string(StageOrder order) {
    switch (order) {
        case StageOrder::automatic: return "auto";
        case StageOrder::same: return "same";
        case StageOrder::reversed: return "reversed";
    }
    return "";
}

std::optional<int> parse_threads(const std::string& words) {
    if (words == "auto") return std::nullopt;
    constexpr int most = 4096;  // cores of the largest nodes, and some
    int threads = 0;
    const auto [end, error] = std::from_chars(words.data(), words.data() + words.size(), threads);
    if (error != std::errc{} || end != words.data() + words.size() || threads < 1 || threads > most)
        throw UsageError(text("--threads ", words, ": expected auto or a number from 1 to ", most),
                         Hint{"--threads auto"});
    return threads;
}

ScheduleName schedule_named(const std::string& name) { return {name, parallel::chunks_of(name)}; }

const std::string& name_of(const ScheduleChoice& schedule) {
    return std::visit([](const auto& chosen) -> const std::string& { return chosen.name; },
                      schedule);
}

Resume parse_resume(const std::string& words) {
    if (words == "auto") return {Resume::From::newest};
    if (words == "never") return {Resume::From::nothing};
    return {Resume::From::file, words};
}

std::string to_string(const Resume& resume) {
    switch (resume.from) {
        case Resume::From::newest: return "auto";
        case Resume::From::nothing: return "never";
        case Resume::From::file: return resume.file;
    }
    return "";
}

Nets::Nets(NetChoice choice)
    : choice_(std::move(choice)),
      gan_(nn::dcgan(choice_.net, data::channels(choice_.coding),
                     {.nz = choice_.nz,
                      .generator_widths = choice_.generator_widths,
                      .discriminator_widths = choice_.discriminator_widths})) {}

std::int64_t total_steps(const RunOptions& run_options, const Problem& problem,
                         std::int64_t tiles) {
    constexpr std::int64_t default_steps = 1000;
    if (run_options.epochs > 0)
        return static_cast<std::int64_t>(std::ceil(run_options.epochs * static_cast<double>(tiles) /
                                                   static_cast<double>(problem.batch)));
    return run_options.steps > 0 ? run_options.steps : default_steps;
}

}  // namespace civitas::train
