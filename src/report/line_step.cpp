#include "line_step.hpp"

#include <nlohmann/json.hpp>

namespace civitas::report {

std::optional<std::int64_t> step_of(const std::string& line) {
    const auto object = nlohmann::json::parse(line, nullptr, false);
    if (!object.is_object()) return {};
    const auto step = object.find("step");
    if (step == object.end() || !step->is_number_integer()) return {};
    return step->get<std::int64_t>();
}

}  // namespace civitas::report
