#include "civitas/profiling/profile.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

namespace civitas::profiling {
namespace {

using nlohmann::ordered_json;
using planner::LayerTimes;

ordered_json json_of(const std::vector<LayerTimes>& layers) {
    ordered_json rows = ordered_json::array();
    for (const LayerTimes& t : layers)
        rows.push_back({t.forward_s, t.backward_input_s, t.backward_weights_s});
    return rows;
}

std::vector<LayerTimes> layers_from(const ordered_json& rows) {
    std::vector<LayerTimes> layers;
    for (const auto& row : rows)
        layers.push_back(
            {row.at(0).get<double>(), row.at(1).get<double>(), row.at(2).get<double>()});
    return layers;
}

ordered_json json_of(const planner::LayerTimings& timings) {
    ordered_json nets = ordered_json::array();
    for (const auto& layers : timings.nets) nets.push_back(json_of(layers));
    return nets;
}

planner::LayerTimings timings_from(const ordered_json& nets) {
    planner::LayerTimings timings;
    for (const auto& layers : nets) timings.nets.push_back(layers_from(layers));
    return timings;
}

bool possible(const planner::LayerTimings& timings) {
    const auto seconds = [](double x) { return std::isfinite(x) && x >= 0; };
    for (const auto& layers : timings.nets)
        for (const LayerTimes& t : layers)
            if (!seconds(t.forward_s) || !seconds(t.backward_input_s) ||
                !seconds(t.backward_weights_s))
                return false;
    return true;
}

bool possible(const Profile& p) {
    const auto positive = [](double x) { return std::isfinite(x) && x > 0; };
    return possible(p.timings.as_described) && possible(p.timings.by_aten) &&
           positive(p.memory_rate) && positive(p.link_rate) && std::isfinite(p.link_latency) &&
           p.link_latency >= 0;
}

}  // namespace

std::string to_json(const Profile& p) {
    ordered_json object{{"of", p.of},
                        {"memory_bytes_per_second", p.memory_rate},
                        {"link_bytes_per_second", p.link_rate},
                        {"link_latency_seconds", p.link_latency},
                        {"F_B_W_seconds", json_of(p.timings.as_described)}};
    if (!p.timings.by_aten.nets.empty())
        object["F_B_W_seconds_by_aten"] = json_of(p.timings.by_aten);
    return object.dump(1) + '\n';
}

std::optional<Profile> parse_profile(const std::string& json) {
    try {
        const auto object = ordered_json::parse(json);
        KernelTimings timings{timings_from(object.at("F_B_W_seconds"))};
        if (object.contains("F_B_W_seconds_by_aten"))
            timings.by_aten = timings_from(object["F_B_W_seconds_by_aten"]);
        const Profile profile{.of = object.at("of").get<std::string>(),
                              .timings = std::move(timings),
                              .memory_rate = object.at("memory_bytes_per_second").get<double>(),
                              .link_rate = object.at("link_bytes_per_second").get<double>(),
                              .link_latency = object.at("link_latency_seconds").get<double>()};
        return possible(profile) ? std::optional(profile) : std::nullopt;
    } catch (const nlohmann::json::exception&) {
        return std::nullopt;
    }
}

}  // namespace civitas::profiling
