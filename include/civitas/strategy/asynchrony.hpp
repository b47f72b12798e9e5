#pragma once
/// Ranks that update shared weights without waiting for each other, on paper: from the times of
/// their steps to updates a second and staleness, beside the same ranks in step.
#include "civitas/base/numbers.hpp"
#include "civitas/base/update_kind.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace civitas::strategy {

/// What ranks that share weights need for a step, in seconds.
struct RankTimes {
    std::vector<double> steps;  ///< a step of each rank alone, the update in it; over 0
    /// The part of a step that is the update: slice by slice, and no two ranks are at one slice. At
    /// most the shortest step.
    double update = 0;
    int slices = 64;  ///< of an update, all equally long
    /// Most steps that others end while a rank makes one; none: as many as they do.
    std::optional<std::int64_t> max_staleness = {};
    double jitter = 0;  ///< computing takes up to this share of its time more or less; below 1
    Seed seed{1};       ///< of the jitter
};

/// How ranks get on.
struct Forecast {
    double seconds = 0;               ///< until all batches are done
    std::vector<std::int64_t> steps;  ///< batches that each rank made
    double waited = 0;                ///< seconds, of all ranks together
    /// How often a step had missed so many of others; nothing for ranks in step.
    std::map<std::int64_t, std::int64_t> staleness = {};

    [[nodiscard]] double batches_per_second() const;
    [[nodiscard]] double share_of_waiting() const;
    [[nodiscard]] double mean_staleness() const;
    /// The smallest staleness that is not exceeded by this share of the steps.
    [[nodiscard]] std::int64_t staleness_of(double share) const;
};

/// Makes so many batches, each by one rank, as async::BatchCounter hands them out: the first to
/// each rank in order, the next to whoever is ready, within the bound. A simulation in exact order:
/// times are whole nanoseconds, and of ranks that are ready at once the first is served first.
[[nodiscard]] Forecast without_waiting(const RankTimes& times, std::int64_t batches);

/// Makes as many batches of the same size in step: every rank computes an equal part of each, and
/// all wait for the slowest.
[[nodiscard]] Forecast in_step(const RankTimes& times, std::int64_t batches);

/// Both in words, with the ranks that take the same time in a line of a table.
[[nodiscard]] std::string to_text(const RankTimes& times);

/// What users say of ranks.
struct RankWords {
    std::string update = "sync";
    std::string seconds = {};  ///< of a step of each rank: `0.3,0.3,0.6`
    double update_seconds = 0;
    std::string max_staleness = "auto";
    int servers = 0;
    double jitter = 0;
};
/// Options of a step that ranks make together, and why others are not planned by them.
struct NotPlannedBy {
    std::vector<std::string> options = {};
    std::string why = {};
};
[[nodiscard]] NotPlannedBy not_planned_by(UpdateKind kind);
/// How so many ranks update weights.
[[nodiscard]] UpdateOptions read_updates(const RankWords& words, int ranks);
/// The times of so many ranks, fewer of them repeated in turn; 0 ranks: as many as times. Nothing
/// where neither times nor async updates are asked for. Throws UsageError.
[[nodiscard]] std::optional<RankTimes> read_times(const RankWords& words, int ranks);

}  // namespace civitas::strategy
