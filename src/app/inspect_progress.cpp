#include "inspect.hpp"

#include "civitas/base/printable.hpp"

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace civitas::app {
namespace {

namespace fs = std::filesystem;

/// The last whole line of metrics.jsonl; not an object when there is none.
nlohmann::ordered_json last_line(const fs::path& file) {
    nlohmann::ordered_json last;
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
        auto found = nlohmann::ordered_json::parse(line, nullptr, false);
        if (found.is_object() && found.contains("step")) last = std::move(found);
    }
    return last;
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

std::string progress_of(const train::RunFolder& folder) {
    std::error_code ignored;
    if (!fs::is_regular_file(folder.metrics(), ignored)) return {};
    const auto last = last_line(folder.metrics());
    if (!last.is_object()) return {};
    std::ostringstream words;
    words << "step " << last.at("step").dump();
    if (last.contains("steps")) words << " of " << last.at("steps").dump();
    words << values_of(last);
    return printable(words.str()) + '\n';
}

}  // namespace civitas::app
