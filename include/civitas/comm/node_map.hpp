#pragma once
/// Finds out which ranks share a node.
#include "civitas/base/node_map.hpp"
#include "civitas/comm/communicator.hpp"

namespace civitas::comm {

/// Ranks of a node are those that can share memory; where `ranks_of_node` is not 0 every so many
/// ranks in order count as a node, the last ones maybe fewer, so that what goes between nodes can
/// be tried on one. Collective. Throws AgreedError when ranks that count as one node share no
/// memory.
[[nodiscard]] NodeMap node_map(const Communicator& world, int ranks_of_node = 0);

}  // namespace civitas::comm
