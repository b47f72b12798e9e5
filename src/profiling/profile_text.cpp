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

bool possible(const Profile& p) {
    const auto positive = [](double x) { return std::isfinite(x) && x > 0; };
    const auto seconds = [](double x) { return std::isfinite(x) && x >= 0; };
    for (const auto& layers : p.timings.nets)
        for (const LayerTimes& t : layers)
            if (!seconds(t.forward_s) || !seconds(t.backward_input_s) ||
                !seconds(t.backward_weights_s))
                return false;
    return positive(p.memory_rate) && positive(p.link_rate) && seconds(p.link_latency);
}

}  // namespace

std::string to_json(const Profile& p) {
    ordered_json nets = ordered_json::array();
    for (const auto& layers : p.timings.nets) nets.push_back(json_of(layers));
    const ordered_json object{{"of", p.of},
                              {"memory_bytes_per_second", p.memory_rate},
                              {"link_bytes_per_second", p.link_rate},
                              {"link_latency_seconds", p.link_latency},
                              {"F_B_W_seconds", nets}};
    return object.dump(1) + '\n';
}

std::optional<Profile> parse_profile(const std::string& json) {
    try {
        const auto object = ordered_json::parse(json);
        planner::LayerTimings timings;
        for (const auto& layers : object.at("F_B_W_seconds"))
            timings.nets.push_back(layers_from(layers));
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
