#pragma once
/// Finds out which ranks share a node.
#include "civitas/base/node_map.hpp"
#include "civitas/comm/communicator.hpp"

#include <optional>

namespace civitas::comm {

/// Ranks of a node are those that can share memory; with `ranks_of_node` (at least 1) every so many
/// ranks in order count as a node, so that what goes between nodes can be tried on one. Nodes are
/// numbered by their first rank. Collective.
[[nodiscard]] NodeMap node_map(const Communicator& world, std::optional<int> ranks_of_node = {});

}  // namespace civitas::comm
