#include "charts.hpp"

#include "figures_text.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"
#include "civitas/report/gantt.hpp"

#include <algorithm>

namespace civitas::compare {
namespace {

using report::Bar, report::BarChart;

/// `1f1b: 0 → 1`; what goes both ways, `1f1b: 0 ↔ 1`.
std::string name_of_cut(const Outcome& o, int from, int to, const char* way = "\u2192") {
    return text(o.strategy.name, ": ", from, ' ', way, ' ', to);
}

std::string megabytes_a_step(std::int64_t bytes) {
    return fixed(static_cast<double>(bytes) / 1e6, 2) + " MB";
}

/// What goes through the cuts of all nets by the plan, which has both ways together.
void add_predicted_traffic(const Outcome& o, std::vector<Bar>& bars) {
    for (const schedule::CutTraffic& cut : o.predicted->cuts)
        bars.push_back({.label = text(name_of_cut(o, index(cut.from), index(cut.to), "\u2194"),
                                      ", net ", index(cut.net)),
                        .parts = {static_cast<double>(cut.bytes) / 1e6},
                        .value = megabytes_a_step(cut.bytes)});
}

Bar speed_bar(const Outcome& o, const std::string& best) {
    const bool stands_out = o.strategy.name == best;
    if (!o.measured())
        return {.label = o.strategy.name,
                .parts = {o.predicted->tiles_per_second},
                .value = fixed(o.predicted->tiles_per_second, 1) + " tiles/s",
                .stands_out = stands_out};
    const Spread s = spread_of(o, &Round::tiles_per_second);
    Bar bar{.label = o.strategy.name,
            .parts = {s.median},
            .value = fixed(s.median, 1) + " tiles/s",
            .stands_out = stands_out};
    if (o.rounds.size() > 1) bar.range = std::pair{s.least, s.most};
    if (o.predicted) bar.mark = o.predicted->tiles_per_second;
    return bar;
}

}  // namespace

BarChart speed_chart(const Comparison& c, const std::string& best) {
    BarChart chart{.kinds = {"tiles a second"}, .bars = {}};
    for (const Outcome& o : c.outcomes)
        if (c.speed(o)) chart.bars.push_back(speed_bar(o, best));
    const auto any = [&](auto has) {
        return std::any_of(chart.bars.begin(), chart.bars.end(), has);
    };
    if (any([](const Bar& bar) { return bar.range.has_value(); }))
        chart.range = "slowest to fastest round";
    if (any([](const Bar& bar) { return bar.mark.has_value(); })) chart.mark = "predicted";
    return chart;
}

BarChart shares_chart(const Comparison& c) {
    BarChart chart{.kinds = {"computing", "communication", "waiting"}, .bars = {}};
    for (const Outcome& o : c.outcomes) {
        if (!o.measured()) continue;
        const double talking = 100 * spread_of(o, &Round::communication).median;
        const double waiting = 100 * spread_of(o, &Round::waiting).median;
        const double computing = std::max(0.0, 100 - talking - waiting);
        chart.bars.push_back({.label = o.strategy.name,
                              .parts = {computing, talking, waiting},
                              .value = fixed(computing, 0) + " %"});
    }
    return chart;
}

BarChart memory_chart(const Comparison& c) {
    if (c.on_paper()) {
        BarChart chart{.kinds = {"MB of a rank"}, .bars = {}};
        for (const Outcome& o : c.outcomes)
            if (o.predicted)
                chart.bars.push_back({.label = o.strategy.name,
                                      .parts = {static_cast<double>(o.predicted->bytes) / 1e6},
                                      .value = megabytes(o.predicted->bytes)});
        return chart;
    }
    BarChart chart{.kinds = {"weights", "gradients", "moments", "means", "activations", "messages"},
                   .bars = {}};
    for (const Outcome& o : c.outcomes) {
        if (!o.measured()) continue;
        Bar& bar = chart.bars.emplace_back();
        bar.label = o.strategy.name;
        for (const char* part : parts_of_memory)
            bar.parts.push_back(static_cast<double>(bytes_for(o, part)) / 1e6);
        bar.value = megabytes(bytes_for(o, "all"));
    }
    return chart;
}

BarChart traffic_chart(const Comparison& c) {
    BarChart chart{.kinds = {"MB a step"}, .bars = {}};
    for (const Outcome& o : c.outcomes) {
        for (const CutOverRounds& cut : cuts_over_rounds(o))
            chart.bars.push_back({.label = name_of_cut(o, cut.from, cut.to),
                                  .parts = {static_cast<double>(cut.bytes) / 1e6},
                                  .value = megabytes_a_step(cut.bytes)});
        if (!o.measured() && o.predicted) add_predicted_traffic(o, chart.bars);
    }
    return chart;
}

BarChart waits_chart(const Comparison& c) {
    BarChart chart{.kinds = {"waiting of a step"}, .bars = {}};
    double longest_s = 0;
    for (const Outcome& o : c.outcomes)
        for (const CutOverRounds& cut : cuts_over_rounds(o)) {
            const Spread s = spread_of(cut.waited_s);
            longest_s = std::max(longest_s, s.median);
            Bar& bar = chart.bars.emplace_back();
            bar.label = name_of_cut(o, cut.from, cut.to);
            bar.parts = {s.median};
            if (cut.waited_s.size() < 2) continue;
            bar.range = std::pair{s.least, s.most};
            chart.range = "shortest to longest of the rounds";
        }
    for (Bar& bar : chart.bars) bar.value = report::time_text(bar.parts.front(), longest_s);
    return chart;
}

}  // namespace civitas::compare
