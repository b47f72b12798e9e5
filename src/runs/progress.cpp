#include "civitas/runs/progress.hpp"

#include "civitas/base/printable.hpp"

#include <charconv>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>

namespace civitas::runs {
namespace {

namespace fs = std::filesystem;

std::int64_t step_in(const std::string& line) {
    constexpr std::string_view name = "\"step\":";
    const auto at = line.find(name);
    std::int64_t step = -1;
    if (at != std::string::npos)
        std::from_chars(line.data() + at + name.size(), line.data() + line.size(), step);
    return step;
}

/// The line of the last step in metrics.jsonl that is not torn; no object when there is none. Lines
/// of ranks that do not wait for each other come in the order in which steps end.
nlohmann::ordered_json line_of_last_step(const fs::path& file) {
    std::string last;
    std::int64_t last_step = 0;
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
        if (!line.starts_with('{') || !line.ends_with('}')) continue;
        const std::int64_t step = step_in(line);
        if (step < last_step) continue;
        last_step = step;
        last = std::move(line);
    }
    return nlohmann::ordered_json::parse(last, nullptr, false);
}

/// The task's values and the seconds, which come last of them: what a line says of its step between
/// where it stands in the run and how fast it went.
std::string values_of(const nlohmann::ordered_json& line) {
    std::ostringstream words;
    for (const auto& [key, value] : line.items()) {
        if (key == "step" || key == "steps" || key == "time" || key == "epoch") continue;
        if (value.is_primitive()) words << ", " << key << ' ' << value.dump();
        if (key == "seconds") break;
    }
    return words.str();
}

}  // namespace

std::string progress_of(const RunFolder& folder) {
    std::error_code ignored;
    if (!fs::is_regular_file(folder.metrics(), ignored)) return {};
    const auto last = line_of_last_step(folder.metrics());
    if (!last.is_object() || !last.contains("step")) return {};
    std::ostringstream words;
    words << "step " << last.at("step").dump();
    if (last.contains("steps")) words << " of " << last.at("steps").dump();
    words << values_of(last);
    return printable(words.str()) + '\n';
}

std::int64_t steps_made(const RunFolder& folder) {
    const auto last = line_of_last_step(folder.metrics());
    const bool told = last.is_object() && last.contains("step") && last["step"].is_number_integer();
    return told ? last["step"].get<std::int64_t>() : 0;
}

}  // namespace civitas::runs
