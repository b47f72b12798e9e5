#pragma once
/// Ranks in a circle.
#include "civitas/comm/communicator.hpp"

namespace civitas::test {

/// The rank that is `distance` further than this one.
inline Rank beside(const comm::Communicator& world, int distance) {
    return Rank{(index(world.rank()) + distance + world.size()) % world.size()};
}

}  // namespace civitas::test
