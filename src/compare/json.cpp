#include "civitas/compare/output.hpp"
#include "civitas/compare/recommendation.hpp"

#include <array>
#include <nlohmann/json.hpp>

namespace civitas::compare {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array family_names{"process",  "replicas", "data",   "naive",
                                  "pipeline", "tensor",   "mesh",   "shard",
                                  "offload",  "async",    "server", "population"};

/// Middle, ends, and every round.
Json spread(const std::vector<double>& rounds) {
    const Spread s = spread_of(rounds);
    return {{"median", s.median}, {"least", s.least}, {"most", s.most}, {"rounds", rounds}};
}

Json spread(const Outcome& o, double Round::*figure) {
    std::vector<double> rounds;
    for (const Round& round : o.rounds) rounds.push_back(round.*figure);
    return spread(rounds);
}

Json optional(std::optional<double> value) { return value ? Json(*value) : Json(nullptr); }

Json cuts_of(const Outcome& o) {
    Json cuts = Json::array();
    for (const CutOverRounds& cut : cuts_over_rounds(o))
        cuts.push_back({{"from", cut.from},
                        {"to", cut.to},
                        {"bytes", cut.bytes},
                        {"waited_seconds", spread(cut.waited_s)}});
    return cuts;
}

Json cuts_of(const Predicted& predicted) {
    Json cuts = Json::array();
    for (const schedule::CutTraffic& cut : predicted.cuts)
        cuts.push_back({{"net", index(cut.net)},
                        {"behind_stage", index(cut.stage)},
                        {"from", index(cut.from)},
                        {"to", index(cut.to)},
                        {"messages", cut.messages},
                        {"bytes", cut.bytes}});
    return cuts;
}

void add_measured(Json& json, const Comparison& c, const Outcome& o) {
    const Round& first = o.rounds.front();
    json["threads"] = first.threads;
    json["steps_that_count"] = first.steps;
    json["seconds"] = spread(o, &Round::seconds);
    json["tiles_per_second"] = spread(o, &Round::tiles_per_second);
    json["speed_up"] = optional(c.speed_up(o));
    json["efficiency"] = optional(c.efficiency(o));
    json["communication_share"] = spread(o, &Round::communication);
    json["waiting_share"] = spread(o, &Round::waiting);
    json["staleness"] = spread(o, &Round::staleness);
    for (const auto& [name, value] : first.losses) json["losses"][name] = value;
    for (const auto& [name, bytes] : first.bytes) json["bytes_of_rank"][name] = bytes;
    json["cuts"] = cuts_of(o);
}

Json json_of(const Comparison& c, const Outcome& o) {
    const Strategy& s = o.strategy;
    Json json{{"name", s.name},
              {"family", family_names.at(static_cast<std::size_t>(s.family))},
              {"words", s.words},
              {"ranks", s.ranks},
              {"mesh", to_string(s.mesh)},
              {"command", o.command},
              {"why_not", o.why_not.empty() ? Json(nullptr) : Json(o.why_not)}};
    if (o.measured()) add_measured(json, c, o);
    if (!o.predicted) return json;
    const Predicted& p = *o.predicted;
    json["predicted"] = {{"seconds", p.seconds},
                         {"tiles_per_second", p.tiles_per_second},
                         {"waiting_share", p.waiting},
                         {"bytes_of_rank", p.bytes},
                         {"cuts", cuts_of(p)}};
    if (c.on_paper()) json["speed_up"] = optional(c.speed_up(o));
    return json;
}

Json json_of(const Subject& s) {
    return {{"workload", s.workload},
            {"precision", s.precision},
            {"batch", s.batch},
            {"micro_batch", s.micro_batch},
            {"ranks", s.ranks},
            {"nodes", s.nodes},
            {"cores_of_node", s.cores},
            {"gpus_of_node", s.gpus},
            {"predicted_by", s.predicted_by},
            {"steps", s.steps},
            {"warm_up", s.warm_up},
            {"rounds", s.rounds}};
}

}  // namespace

std::string to_json(const Comparison& c) {
    Json json{{"format", 3}, {"subject", json_of(c.subject)}, {"strategies", Json::array()}};
    for (const Outcome& o : c.outcomes) json["strategies"].push_back(json_of(c, o));
    const Recommendation advice = recommend(c);
    json["recommendation"] = {
        {"strategy", advice.strategy.empty() ? Json(nullptr) : Json(advice.strategy)},
        {"words", advice.words},
        {"reasons", advice.reasons}};
    return json.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace civitas::compare
