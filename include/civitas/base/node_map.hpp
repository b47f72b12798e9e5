#pragma once
/// Which ranks of a job share a node.
#include "civitas/base/numbers.hpp"

#include <optional>
#include <utility>
#include <vector>

namespace civitas {

/// The node of every rank: what decides whether two ranks can share memory, or talk by network.
class NodeMap {
public:
    /// A map by numbers of nodes. `nodes`: for each rank a number that its node alone has.
    explicit NodeMap(std::vector<int> nodes) : nodes_(std::move(nodes)) {}
    /// Nodes filled with ranks in order, the last maybe not quite. Precondition: ranks_of_node > 0.
    [[nodiscard]] static NodeMap filled(int ranks, int ranks_of_node);

    [[nodiscard]] int ranks() const { return static_cast<int>(nodes_.size()); }
    [[nodiscard]] int nodes() const;
    [[nodiscard]] int node_of(Rank rank) const {
        return nodes_.at(static_cast<std::size_t>(index(rank)));
    }
    [[nodiscard]] bool together(Rank a, Rank b) const { return node_of(a) == node_of(b); }
    /// Of these ranks, which are counted anew in their order.
    [[nodiscard]] NodeMap of(const std::vector<Rank>& ranks) const;
    /// Ranks of the node that has fewest.
    [[nodiscard]] int fewest_ranks() const;
    /// The ranks on the node of `rank`, itself among them, ascending.
    [[nodiscard]] std::vector<Rank> beside(Rank rank) const;
    /// The place of `rank` among them.
    [[nodiscard]] std::size_t place_on_node(Rank rank) const;
    /// Two ranks that share a node here and not in `other`; none when this one only divides nodes.
    [[nodiscard]] std::optional<std::pair<Rank, Rank>> parted_by(const NodeMap& other) const;
    friend bool operator==(const NodeMap&, const NodeMap&) = default;

private:
    std::vector<int> nodes_;  ///< by rank
};

}  // namespace civitas
