#include "inspect.hpp"

#include "civitas/base/printable.hpp"

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace civitas::app {
namespace {

namespace fs = std::filesystem;

/// The last whole line of metrics.jsonl; not an object when there is none.
nlohmann::json last_line(const fs::path& file) {
    nlohmann::json last;
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
        auto found = nlohmann::json::parse(line, nullptr, false);
        if (found.is_object() && found.contains("step")) last = std::move(found);
    }
    return last;
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
    for (const char* key : {"d_loss", "g_loss", "d_real", "d_fake", "seconds"})
        if (last.contains(key)) words << ", " << key << ' ' << last.at(key).dump();
    return printable(words.str()) + '\n';
}

}  // namespace civitas::app
