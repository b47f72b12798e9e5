#pragma once
/// What a step tells: the line on the terminal and the line in metrics.jsonl.
#include "civitas/base/numbers.hpp"
#include "civitas/base/step_value.hpp"
#include "civitas/report/bytes.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace civitas::report {

/// Of a step that a rank made by itself.
struct MadeAlone {
    std::int64_t rank = 0;
    std::int64_t staleness = 0;        ///< steps that other ranks ended meanwhile
    std::int64_t ranks = 1;            ///< that make steps at the same time
    double steps_per_second = 0;       ///< of all of them, over the last seconds; 0: unknown
    double rank_steps_per_second = 0;  ///< of that rank alone, likewise
};

/// Of a step whose parts ranks have made each by itself.
struct MadeInParts {
    std::vector<std::int64_t> ranks;  ///< of the parts, in order
    std::int64_t staleness = 0;       ///< updates that the weights of one of them lacked, at most
    double steps_per_second = 0;      ///< over the last seconds; 0: unknown
};

/// What went from one coordinate of a pipe to another in a step, over all copies of the pipe.
struct CutFigures {
    int from = 0, to = 0;
    std::int64_t bytes = 0;
    double waited_s = 0;  ///< that the receiver waited for it; the longest of all copies
    friend bool operator==(const CutFigures&, const CutFigures&) = default;
};

/// Figures of one step. Of the mesh only the tensor axis changes bits of the task's values.
struct StepRecord {
    std::int64_t step = 0;  ///< from 1
    std::int64_t steps = 0;
    double time = 0;                ///< seconds since 1970, UTC, at the end of the step
    double epoch = 0;               ///< passes over the training tiles, this step's included
    std::vector<StepValue> values;  ///< the task's own, under keys that no other figure has

    double seconds = 0;              ///< that the step took
    std::int64_t tiles = 0;          ///< of the batch
    double flops = 0;                ///< of the batch, all ranks
    double peak_flops = 0;           ///< measured at start, all ranks of it; 0: unknown
    double communication_share = 0;  ///< of the step's time, of the rank that spent most
    double bubble_share = 0;         ///< of the step's time, the mean of all ranks
    std::int64_t bytes = 0;          ///< resident memory of the largest rank
    double seconds_left = 0;
    std::optional<MadeAlone> made_alone;  ///< none: several ranks made it
    std::optional<MadeInParts> made_in_parts;
    std::vector<CutFigures> cuts;  ///< by (from, to); none without a pipe
    /// What ranks and nodes hold, by name; none: the line in metrics.jsonl says nothing of it.
    std::map<std::string, MostBytes> held;
    bool tells_of_nodes = true;  ///< else `held` is of one rank alone
};

/// What each rank measures of its own step.
struct RankFigures {
    double communication_share = 0;
    double bubble_share = 0;
    std::int64_t bytes = 0;  ///< resident memory now
};
/// Fills in what a record says of all ranks. Precondition: there is at least one.
void add_ranks(StepRecord& record, std::span<const RankFigures> ranks);

/// Seconds in which one step more is made: what the step took, or less where ranks make steps at
/// the same time.
[[nodiscard]] double seconds_of_a_step(const StepRecord& record);

/// The line on the terminal: the step, the task's values in their order, and how fast it went.
/// Time and speed are of all ranks together, by seconds_of_a_step(). Parts that are not known are
/// left out: speed without time, peak, shares and memory that are 0, eta at the end. With
/// everything known, a GAN's line is `step 120/1000 | D 1.312 G 0.842 | D(x) 0.61 D(G(z)) 0.38 |
/// 0.61 s | 13.1 tiles/s | 412 GF/s (62 % of peak) | comm 4 % | bubble 7 % | 2.1 GB | eta 8 m`
[[nodiscard]] std::string to_line(const StepRecord& record);
/// The line in metrics.jsonl: one JSON object without line end, in which the task's values follow
/// `epoch`; doubles print so that they read back to the same bits, NaN and Inf as null.
[[nodiscard]] std::string to_json(const StepRecord& record);

}  // namespace civitas::report
