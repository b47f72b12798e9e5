#pragma once
/// Which ranks keep weights, which make gradients, and of which parts of a step.
#include "civitas/base/numbers.hpp"

#include <cstdint>
#include <vector>

namespace civitas {

/// The first ranks of a job serve, the others work; or all do both.
class ServerRoles {
public:
    /// `servers`: that do not work; 0: all ranks serve and work. Precondition: servers < ranks.
    ServerRoles(int ranks, int servers) : ranks_(ranks), servers_(servers) {}

    [[nodiscard]] int ranks() const noexcept { return ranks_; }
    /// How many serve, which are the first.
    [[nodiscard]] int servers() const noexcept { return servers_ == 0 ? ranks_ : servers_; }
    [[nodiscard]] int workers() const noexcept { return ranks_ - servers_; }
    [[nodiscard]] bool serves(Rank rank) const noexcept { return index(rank) < servers(); }
    [[nodiscard]] bool works(Rank rank) const noexcept { return index(rank) >= servers_; }
    [[nodiscard]] std::vector<Rank> all_servers() const {
        std::vector<Rank> all;
        for (int rank = 0; rank < servers(); ++rank) all.push_back(Rank{rank});
        return all;
    }
    [[nodiscard]] std::vector<Rank> all_workers() const {
        std::vector<Rank> all;
        for (int rank = servers_; rank < ranks_; ++rank) all.push_back(Rank{rank});
        return all;
    }

private:
    int ranks_, servers_;
};

/// How many parts a step is cut into for so many workers. Each has as many micro-batches, a power
/// of two, so that every part is a subtree of the order of sums (see tree.hpp) whatever the number
/// of workers: the largest power of two that leaves each worker a part, else one micro-batch.
[[nodiscard]] std::int64_t parts_of_step(std::int64_t micro_batches, int workers);

}  // namespace civitas
