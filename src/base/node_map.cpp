#include "civitas/base/node_map.hpp"

#include <algorithm>
#include <set>

namespace civitas {

NodeMap NodeMap::filled(int ranks, int ranks_of_node) {
    std::vector<int> nodes;
    for (int rank = 0; rank < ranks; ++rank) nodes.push_back(rank / ranks_of_node);
    return NodeMap(std::move(nodes));
}

int NodeMap::nodes() const {
    return static_cast<int>(std::set<int>(nodes_.begin(), nodes_.end()).size());
}

NodeMap NodeMap::of(const std::vector<Rank>& ranks) const {
    std::vector<int> nodes;
    for (const Rank rank : ranks) nodes.push_back(node_of(rank));
    return NodeMap(std::move(nodes));
}

int NodeMap::fewest_ranks() const {
    const std::multiset<int> all(nodes_.begin(), nodes_.end());
    int fewest = ranks();
    for (const int node : nodes_) fewest = std::min(fewest, static_cast<int>(all.count(node)));
    return fewest;
}

std::optional<std::pair<Rank, Rank>> NodeMap::parted_by(const NodeMap& other) const {
    for (int r = 0; r < ranks(); ++r)
        for (const Rank neighbour : beside(Rank{r}))
            if (!other.together(Rank{r}, neighbour)) return std::pair{Rank{r}, neighbour};
    return std::nullopt;
}

std::vector<Rank> NodeMap::beside(Rank rank) const {
    std::vector<Rank> all;
    for (int other = 0; other < ranks(); ++other)
        if (together(rank, Rank{other})) all.push_back(Rank{other});
    return all;
}

std::size_t NodeMap::place_on_node(Rank rank) const {
    const auto near = beside(rank);
    return static_cast<std::size_t>(std::find(near.begin(), near.end(), rank) - near.begin());
}

}  // namespace civitas
