#pragma once
/// Plans beside real tiles.
#include "civitas/base/log.hpp"
#include "civitas/comm/communicator.hpp"
#include "civitas/quality/report.hpp"

#include <cstdint>
#include <string>

namespace civitas::inference {

/// What is compared with test tiles of a store: plans that the generator of a checkpoint or a run
/// draws, or all tiles of another store.
struct Comparison {
    std::string checkpoint;  ///< empty: `plans` is said
    std::string tiles;
    std::int64_t count = 256;  ///< of each, at most
    std::uint64_t seed = 1;    ///< of the plans' noise
    std::string plans = {};    ///< a store of tiles or of generated plans
    /// A side of what is compared. 0: of the generator's images; of stores 64, or the next above
    /// that both can be averaged to.
    std::int64_t pixels = 0;
};

/// Throws UsageError unless there is one thing to compare, of sizes that can be.
void check(const Comparison& options);

/// Of a set of images as they are drawn and averaged; `distance` is to the test tiles.
struct Figures {
    double building = 0, road = 0, distance = 0, difference = 0;
};

/// On the root; all 0 on the other ranks.
struct Evaluation {
    std::int64_t count = 0;  ///< of each
    Figures plans, real, noise;
};

/// Few figures, quickly: what members of a population are compared by. Collective; throws
/// AgreedError.
[[nodiscard]] Evaluation evaluate(const comm::Communicator& world, const Comparison& compared,
                                  Log& log);

/// All figures, on the root; nothing on the other ranks. Collective; throws AgreedError.
[[nodiscard]] quality::Report report_on(const comm::Communicator& world, const Comparison& compared,
                                        Log& log);

}  // namespace civitas::inference
