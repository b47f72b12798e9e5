#pragma once
/// What a comparison has found out. Pure.
#include "civitas/compare/paper.hpp"
#include "civitas/report/step.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace civitas::compare {

/// What one training of a strategy told, without its first steps.
struct Round {
    double seconds = 0;  ///< of a step; where ranks make steps side by side, until one more is made
    double tiles_per_second = 0;  ///< of all ranks
    double communication = 0;  ///< share of a step, of the rank that spent most; the mean of steps
    double waiting = 0;        ///< share of a step: for others of a pipe, or for work; likewise
    double staleness = 0;      ///< steps of others that a step missed, the mean
    std::int64_t steps = 0;    ///< that count
    int threads = 0;           ///< of a rank, of all its replicas
    /// Of the last step, by their names in metrics.jsonl.
    std::vector<std::pair<std::string, double>> losses = {};
    std::map<std::string, std::int64_t> bytes = {};  ///< that any rank holds at most, by what for
    std::vector<report::CutFigures> cuts = {};       ///< waits are means of the steps that count
};

/// How a strategy ended.
struct Outcome {
    Strategy strategy;
    std::string why_not = {};  ///< it was not tried, or failed; nothing where there are rounds
    std::string hint = {};     ///< what may be done about that, as far as is known
    bool broke = false;        ///< a training failed for another reason than what was asked for
    std::vector<Round> rounds = {};
    std::optional<Predicted> predicted = {};
    std::string options = {};  ///< of `civitas train`, which ask for it
    std::string command = {};  ///< that trains as it does

    [[nodiscard]] bool measured() const { return !rounds.empty(); }
};

/// The middle of a figure over rounds, between two of them where their number is even; its ends.
struct Spread {
    double median = 0, least = 0, most = 0;
};
/// Precondition: there are values.
[[nodiscard]] Spread spread_of(std::vector<double> values);
/// Precondition: there are rounds.
[[nodiscard]] Spread spread_of(const Outcome& outcome, double Round::*figure);

/// A cut over the rounds of a strategy.
struct CutOverRounds {
    int from = 0, to = 0;
    std::int64_t bytes = 0;             ///< of a step
    std::vector<double> waited_s = {};  ///< of every round
};
/// In the order of the first round that has each; none for a strategy without a pipe.
[[nodiscard]] std::vector<CutOverRounds> cuts_over_rounds(const Outcome& outcome);

/// What was compared, on what.
struct Subject {
    std::string workload = {};  ///< `dcgan-64`
    std::string precision = {};
    std::int64_t batch = 0, micro_batch = 0;
    int ranks = 1, nodes = 1;
    int cores = 0, gpus = 0;        ///< of a node; GPUs where ranks compute on them
    std::string command = {};       ///< that trains, but for what a strategy adds to it
    std::string predicted_by = {};  ///< what times the predictions have
    std::int64_t steps = 0;         ///< of each training; 0: on paper alone
    std::int64_t warm_up = 0;       ///< of them, which do not count
    int rounds = 0;
};

struct Comparison {
    Subject subject;
    std::vector<Outcome> outcomes;

    [[nodiscard]] bool on_paper() const { return subject.steps == 0; }
    /// Whether any strategy was measured, or on paper predicted.
    [[nodiscard]] bool has_any() const;
    [[nodiscard]] bool any_broke() const;
    /// Tiles a second: as measured, the median; else as predicted; none where it is not known.
    [[nodiscard]] std::optional<double> speed(const Outcome& outcome) const;
    /// Of the one process; none where that is not known.
    [[nodiscard]] std::optional<double> speed_of_one() const;
    /// How many times as fast as one process; none where one of both is not known.
    [[nodiscard]] std::optional<double> speed_up(const Outcome& outcome) const;
    /// The speed-up by how many times the cores, or GPUs, of the one process it has; none where it
    /// was not measured.
    [[nodiscard]] std::optional<double> efficiency(const Outcome& outcome) const;
};

/// Steps at the beginning of so many that do not count: a fifth, but one at least.
[[nodiscard]] constexpr std::int64_t warm_up_of(std::int64_t steps) {
    return steps < 10 ? 1 : steps / 5;
}

}  // namespace civitas::compare
