#include "figures_text.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"
#include "civitas/report/gantt.hpp"

#include <algorithm>

namespace civitas::compare {
namespace {

constexpr const char* not_known = "-";

std::string share_in_words(double share) { return fixed(100 * share, 1) + " %"; }

/// A cell of what was measured.
std::function<std::string(const Outcome&)> measured(
    std::function<std::string(const Outcome&)> cell) {
    return [cell = std::move(cell)](const Outcome& o) {
        return o.measured() ? cell(o) : std::string(not_known);
    };
}

std::function<std::string(const Outcome&)> share(double Round::*figure) {
    return measured(
        [figure](const Outcome& o) { return share_in_words(spread_of(o, figure).median); });
}

/// The losses that all have, in their order: `0.612 0.934`.
std::string losses_in_words(const Outcome& o) {
    const auto& losses = o.rounds.front().losses;
    if (losses.empty()) return not_known;
    return join(losses, " ", [](const auto& loss) { return fixed(loss.second, 3); });
}

/// Of all steps, measured and predicted: it says what unit all have in a table.
double slowest_step(const Comparison& c) {
    double slowest = 0;
    for (const Outcome& o : c.outcomes) {
        if (o.measured()) slowest = std::max(slowest, spread_of(o, &Round::seconds).median);
        if (o.predicted) slowest = std::max(slowest, o.predicted->seconds);
    }
    return slowest;
}

std::vector<Column> measured_columns(const Comparison& c) {
    const auto ratio = [&c](std::optional<double> (Comparison::*figure)(const Outcome&) const,
                            bool in_per_cent) {
        return [&c, figure, in_per_cent](const Outcome& o) {
            const auto value = o.measured() ? (c.*figure)(o) : std::nullopt;
            if (!value) return std::string(not_known);
            return in_per_cent ? fixed(100 * *value, 0) + " %" : fixed(*value, 2);
        };
    };
    return {{"threads", measured([](const Outcome& o) {
                 return std::to_string(o.strategy.ranks) + " x " +
                        std::to_string(o.rounds.front().threads);
             })},
            {"step", measured([slowest = slowest_step(c)](const Outcome& o) {
                 return report::time_text(spread_of(o, &Round::seconds).median, slowest);
             })},
            {"tiles/s", measured([](const Outcome& o) {
                 return fixed(spread_of(o, &Round::tiles_per_second).median, 1);
             })},
            {"speed-up", ratio(&Comparison::speed_up, false)},
            {"efficiency", ratio(&Comparison::efficiency, true)},
            {"comm.", share(&Round::communication)},
            {"waiting", share(&Round::waiting)},
            {"memory", measured([](const Outcome& o) { return megabytes(bytes_for(o, "all")); })},
            {"losses", measured(losses_in_words)}};
}

}  // namespace

std::string seconds_in_words(double seconds) { return report::time_text(seconds, seconds); }

std::int64_t bytes_for(const Outcome& o, const std::string& part) {
    if (!o.measured()) return 0;
    const auto& bytes = o.rounds.front().bytes;
    const auto found = bytes.find(part);
    return found == bytes.end() ? 0 : found->second;
}

std::vector<Column> columns_of(const Comparison& c) {
    std::vector<Column> columns;
    if (!c.on_paper()) columns = measured_columns(c);
    const auto predicted = [](auto figure) {
        return [figure](const Outcome& o) {
            return o.predicted ? figure(*o.predicted) : std::string(not_known);
        };
    };
    columns.push_back({c.on_paper() ? "step" : "planned",
                       predicted([slowest = slowest_step(c)](const Predicted& p) {
                           return report::time_text(p.seconds, slowest);
                       })});
    if (!c.on_paper()) return columns;
    columns.push_back(
        {"tiles/s", predicted([](const Predicted& p) { return fixed(p.tiles_per_second, 1); })});
    columns.push_back({"speed-up", [&c](const Outcome& o) {
                           const auto value = c.speed_up(o);
                           return value ? fixed(*value, 2) : std::string(not_known);
                       }});
    columns.push_back(
        {"waiting", predicted([](const Predicted& p) { return share_in_words(p.waiting); })});
    columns.push_back({"memory", predicted([](const Predicted& p) { return megabytes(p.bytes); })});
    return columns;
}

}  // namespace civitas::compare
