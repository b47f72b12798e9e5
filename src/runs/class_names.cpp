#include "civitas/runs/class_names.hpp"

#include <nlohmann/json.hpp>

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

}  // namespace civitas::runs
