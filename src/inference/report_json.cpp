#include "report_rows.hpp"

#include "civitas/base/printable.hpp"
#include "civitas/inference/report_output.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

namespace civitas::inference {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json per_set(const quality::PerSet<double>& values) {
    return {{"plans", number(values.plans)},
            {"training", number(values.train)},
            {"noise", number(values.noise)}};
}

Json row_of(const quality::ReportRow& row) {
    const auto& a = row.apart;
    Json mean = per_set(row.mean);
    mean["test"] = number(row.test);
    return {
        {"key", row.key},
        {"name", row.name},
        {"unit", row.unit},
        {"mean", mean},
        {"ks", per_set({a.plans.ks, a.train.ks, a.noise.ks})},
        {"wasserstein", per_set({a.plans.wasserstein, a.train.wasserstein, a.noise.wasserstein})}};
}

Json sets_of(const quality::Report& report) {
    Json sets = Json::object();
    for (const SetRow& row : set_rows(report)) {
        sets[row.key] = per_set(row.set);
        if (row.test) sets[row.key]["test"] = number(*row.test);
    }
    return sets;
}

Json likeness_of(const quality::Likeness& likeness) {
    const auto list = [](const std::vector<double>& distances) {
        Json all = Json::array();
        for (const double distance : distances) all.push_back(number(distance));
        return all;
    };
    Json towns = Json::array();
    for (const quality::TownDistances& town : likeness.towns)
        towns.push_back({{"town", printable(town.town)},
                         {"plans", list(town.plans)},
                         {"training", list(town.train)}});
    return {{"count", likeness.count}, {"left_out", likeness.left_out}, {"towns", towns}};
}

}  // namespace

std::string to_json(const quality::Report& report, const ReportSubject& subject) {
    const quality::Memorisation& m = report.memorisation;
    Json groups = Json::array();
    for (const auto& group : report.groups) {
        Json rows = Json::array();
        for (const auto& row : group.rows) rows.push_back(row_of(row));
        groups.push_back({{"title", group.title}, {"figures", rows}});
    }
    Json wished = Json::object();
    for (const quality::Obedience& row : report.obedience)
        wished[std::string(row.key)] = {{"wished", number(row.wished)},
                                        {"drawn", number(row.drawn)},
                                        {"error", number(row.error)},
                                        {"correlation", number(row.correlation)}};
    Json json{{"plans", subject.plans},
              {"tiles", subject.tiles},
              {"count", report.count},
              {"pixels", report.pixels},
              {"pixel_metres", report.pixel_metres},
              {"sets", sets_of(report)},
              {"groups", groups},
              {"copies",
               {{"training_tiles", m.among},
                {"plans", number(m.plans)},
                {"test", number(m.test)},
                {"nearest_plan", number(m.nearest_plan)},
                {"nearest_test", number(m.nearest_test)},
                {"ratio", number(m.ratio())},
                {"nearer_share", number(m.nearer_share)}}}};
    if (!wished.empty()) json["wished"] = wished;
    if (report.likeness) json["like"] = likeness_of(*report.likeness);
    return json.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace civitas::inference
