#include "civitas/planner/options.hpp"

#include "civitas/base/names.hpp"
#include "civitas/base/text.hpp"
#include "civitas/net/classifiers.hpp"
#include "civitas/net/fuse.hpp"
#include "civitas/net/own_kernel.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

namespace civitas::planner {
namespace {

constexpr std::array<NamedValue<StageOrder>, 3> names_of_orders{
    {{"auto", StageOrder::automatic},
     {"same", StageOrder::same},
     {"reversed", StageOrder::reversed}}};
constexpr std::array<NamedValue<CheckpointMode>, 2> checkpoint_modes{
    {{"sync", CheckpointMode::sync}, {"async", CheckpointMode::async}}};

void refuse_classifier(const std::string& name) {
    const auto classifiers = net::classifier_names();
    if (std::find(classifiers.begin(), classifiers.end(), name) != classifiers.end())
        throw UsageError(text("net ", name, " tells classes, a GAN draws plans"),
                         Hint{"--task classify"});
}

/// What --net is where it is left out, too.
void refuse_gan(const std::string& name) {
    if (!name.starts_with("dcgan-")) return;
    throw UsageError(text("net ", name, " draws plans, a classifier tells classes"),
                     Hint{"--net with one of " + join(net::classifier_names(), ", ")});
}

}  // namespace

StageOrder parse_stage_order(std::string_view name) {
    return value_named(name, "placement", names_of_orders);
}
std::string_view to_string(StageOrder order) { return name_of(order, names_of_orders); }

CheckpointMode parse_checkpoint_mode(std::string_view name) {
    return value_named(name, "checkpoint mode", checkpoint_modes);
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

std::optional<double> parse_hang_seconds(const std::string& words) {
    if (words == "auto") return std::nullopt;
    constexpr double least = 1, most = 1e9;
    double seconds = -1;
    const char* last = words.data() + words.size();
    const auto [end, error] = std::from_chars(words.data(), last, seconds);
    const bool good = seconds == 0 || (seconds >= least && seconds <= most);
    if (error != std::errc{} || end != last || !good)
        throw UsageError(text("--hang-seconds ", words, ": expected auto, 0 or a number from ",
                              least, " to ", most),
                         Hint{"--hang-seconds auto, or 0 for no watchdog"});
    return seconds;
}

ScheduleName schedule_named(const std::string& name) { return {name, schedule::chunks_of(name)}; }

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

std::int64_t total_steps(const RunOptions& run_options, const Problem& problem,
                         std::int64_t tiles) {
    constexpr std::int64_t default_steps = 1000;
    if (run_options.epochs > 0)
        return static_cast<std::int64_t>(std::ceil(run_options.epochs * static_cast<double>(tiles) /
                                                   static_cast<double>(problem.batch)));
    return run_options.steps > 0 ? run_options.steps : default_steps;
}

RateSchedule rate_schedule(const Configuration& configuration, std::int64_t tiles) {
    RateSchedule rate = configuration.hyperparameters.rate;
    rate.total_steps = total_steps(configuration.run_options, configuration.problem, tiles);
    return rate;
}

Nets::Nets(NetChoice choice) : choice_(std::move(choice)) {
    choice_.task == TaskKind::gan ? describe_gan() : describe_classifier();
    for (net::NetDescription& net : nets_)
        net = net::fuse(net::with_kernels(std::move(net), choice_.kernels));
}

void Nets::describe_classifier() {
    constexpr std::int64_t imagenet_pixels = 224, imagenet_classes = 1000;
    refuse_gan(choice_.net);
    if (choice_.condition != ConditionKind::none)
        throw UsageError(text("--condition ", to_string(choice_.condition),
                              " is what plans are asked to be like, a classifier draws none"),
                         Hint{"--task gan, or leave it out"});
    auto classifier = net::classifier(choice_.net, channels_of(choice_.coding),
                                      choice_.pixels > 0 ? choice_.pixels : imagenet_pixels,
                                      choice_.classes > 0 ? choice_.classes : imagenet_classes);
    pixels_ = classifier.pixels;
    nets_ = {std::move(classifier.net)};
}

void Nets::describe_gan() {
    refuse_classifier(choice_.net);
    if (choice_.coding == Coding::rgb)
        throw UsageError("--coding rgb is of images, a GAN draws land classes",
                         Hint{"--coding colour, or grey"});
    constexpr std::int64_t sources_unsaid = 2;
    conditions_ = condition_numbers(choice_.condition,
                                    choice_.classes > 0 ? choice_.classes : sources_unsaid);
    net::GanDescription gan = net::dcgan(choice_.net, channels_of(choice_.coding),
                                         {.nz = choice_.nz,
                                          .generator_widths = choice_.generator_widths,
                                          .discriminator_widths = choice_.discriminator_widths,
                                          .conditions = conditions_});
    pixels_ = gan.pixels;
    nz_ = gan.nz;
    nets_ = {std::move(gan.generator), std::move(gan.discriminator)};
}

}  // namespace civitas::planner
