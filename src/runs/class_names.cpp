#include "civitas/runs/class_names.hpp"

#include "civitas/base/error.hpp"
#include "civitas/io/files.hpp"

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

namespace civitas::runs {

using nlohmann::json;

std::map<std::string, std::string> note_of_classes(const std::vector<std::string>& names) {
    if (names.empty()) return {};
    return {{class_names_note, json(names).dump(-1, ' ', false, json::error_handler_t::replace)}};
}

std::vector<std::string> class_names(const std::map<std::string, std::string>& notes) {
    const auto note = notes.find(class_names_note);
    if (note == notes.end()) return {};
    const json list = json::parse(note->second, nullptr, false);
    if (!list.is_array()) return {};
    std::vector<std::string> names;
    for (const json& name : list) {
        if (!name.is_string()) return {};
        names.push_back(name.get<std::string>());
    }
    return names;
}

std::vector<std::string> class_names_in(const std::filesystem::path& file) {
    constexpr std::uint64_t most = std::uint64_t{1} << 20;
    const Hint hint{"a name of its own for each class, a line each"};
    std::vector<std::string> names;
    std::set<std::string> known;
    std::istringstream lines(io::read_text_file(file, most));
    for (std::string line; std::getline(lines, line);) {
        if (line.ends_with('\r')) line.pop_back();
        if (line.empty() || !known.insert(line).second)
            throw UsageError(text(file, ": line ", names.size() + 1, " is ",
                                  line.empty() ? "empty" : "there twice: " + line),
                             hint);
        names.push_back(line);
    }
    if (names.empty()) throw UsageError(text(file, " is empty"), hint);
    return names;
}

}  // namespace civitas::runs
