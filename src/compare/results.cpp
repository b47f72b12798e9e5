#include "civitas/compare/results.hpp"

#include <algorithm>

namespace civitas::compare {
namespace {

const Outcome* one_process_of(const Comparison& c) {
    const auto found = std::find_if(c.outcomes.begin(), c.outcomes.end(), [](const Outcome& o) {
        return o.strategy.family == Family::process;
    });
    return found == c.outcomes.end() ? nullptr : &*found;
}

/// Cores, or GPUs, that a strategy computes with.
double devices_of(const Subject& subject, const Outcome& outcome) {
    const int ranks = outcome.strategy.ranks;
    if (subject.gpus > 0)
        return std::min(ranks * std::min(outcome.strategy.replicas, subject.gpus),
                        subject.gpus * subject.nodes);
    return ranks * outcome.rounds.front().threads;
}

/// Between the two in the middle of an even number: else times and speeds, which are ordered the
/// other way round, would be those of different rounds.
double middle_of(const std::vector<double>& ascending) {
    const std::size_t half = ascending.size() / 2;
    if (ascending.size() % 2 == 1) return ascending[half];
    return 0.5 * (ascending[half - 1] + ascending[half]);
}

}  // namespace

Spread spread_of(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return {middle_of(values), values.front(), values.back()};
}

Spread spread_of(const Outcome& outcome, double Round::*figure) {
    std::vector<double> values;
    for (const Round& round : outcome.rounds) values.push_back(round.*figure);
    return spread_of(std::move(values));
}

std::vector<CutOverRounds> cuts_over_rounds(const Outcome& outcome) {
    std::vector<CutOverRounds> all;
    for (const Round& round : outcome.rounds)
        for (const report::CutFigures& cut : round.cuts) {
            auto found = std::find_if(all.begin(), all.end(), [&](const CutOverRounds& known) {
                return known.from == cut.from && known.to == cut.to;
            });
            if (found == all.end()) found = all.insert(found, {cut.from, cut.to, cut.bytes});
            found->waited_s.push_back(cut.waited_s);
        }
    return all;
}

bool Comparison::has_any() const {
    return std::any_of(outcomes.begin(), outcomes.end(),
                       [&](const Outcome& o) { return speed(o).has_value(); });
}

bool Comparison::any_broke() const {
    return std::any_of(outcomes.begin(), outcomes.end(), [](const Outcome& o) { return o.broke; });
}

std::optional<double> Comparison::speed(const Outcome& outcome) const {
    if (outcome.measured()) return spread_of(outcome, &Round::tiles_per_second).median;
    if (!on_paper() || !outcome.predicted) return std::nullopt;
    return outcome.predicted->tiles_per_second;
}

std::optional<double> Comparison::speed_of_one() const {
    const Outcome* const one = one_process_of(*this);
    return one == nullptr ? std::nullopt : speed(*one);
}

std::optional<double> Comparison::speed_up(const Outcome& outcome) const {
    const auto mine = speed(outcome);
    const auto one = speed_of_one();
    if (!mine || !one) return std::nullopt;
    return *mine / *one;
}

std::optional<double> Comparison::efficiency(const Outcome& outcome) const {
    const Outcome* const one = one_process_of(*this);
    const auto gained = speed_up(outcome);
    if (!gained || !outcome.measured() || !one->measured()) return std::nullopt;
    return *gained * devices_of(subject, *one) / devices_of(subject, outcome);
}

}  // namespace civitas::compare
