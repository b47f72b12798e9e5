#pragma once
/// A barrier of the ranks of a node in the memory that they share: a microsecond, and one can look
/// whether it is over.
#include "civitas/comm/node_memory.hpp"

#include <cstdint>
#include <optional>

namespace civitas::comm {

/// How often a rank has come to the barrier.
enum class NodeArrival : std::uint64_t {};

class NodeBarrier {
public:
    /// `memory`: bytes_for(node.size()) zeros that the ranks of `node` share.
    NodeBarrier(const Communicator& node, NodeMemory memory);
    [[nodiscard]] static std::int64_t bytes_for(int ranks);

    /// This rank has come; returns how often. What it wrote before is seen by those who find it
    /// here.
    NodeArrival arrive();
    /// A rank that has not come so often; none when all have.
    [[nodiscard]] std::optional<Rank> missing(NodeArrival times) const;
    /// Forgets who has come, once all have given up waiting. Collective.
    void reset(const Communicator& node);

private:
    NodeMemory memory_;  ///< how often each rank has come, each count on a cache line
    Rank me_;
    int ranks_;
    NodeArrival times_{};
};

}  // namespace civitas::comm
