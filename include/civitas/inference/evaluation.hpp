#pragma once
/// Plans of a generator beside real tiles.
#include "civitas/base/log.hpp"
#include "civitas/comm/communicator.hpp"

#include <cstdint>
#include <string>

namespace civitas::inference {

/// What is compared: plans of a checkpoint or a run with test tiles of a store.
struct Comparison {
    std::string checkpoint;
    std::string tiles;
    std::int64_t count = 256;  ///< of each, at most
    std::uint64_t seed = 1;    ///< of the plans' noise
};

/// Of a set of images; `distance` is to the test tiles.
struct Figures {
    double building = 0, road = 0, distance = 0, difference = 0;
};

/// On the root; all 0 on the other ranks.
struct Evaluation {
    std::int64_t count = 0;  ///< of each
    Figures plans, real, noise;
};

/// Draws plans and compares them. Collective; throws AgreedError.
[[nodiscard]] Evaluation evaluate(const comm::Communicator& world, const Comparison& compared,
                                  Log& log);

}  // namespace civitas::inference
