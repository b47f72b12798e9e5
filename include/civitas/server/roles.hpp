#pragma once
/// Which ranks keep weights, and which make gradients.
#include "civitas/base/numbers.hpp"

#include <vector>

namespace civitas::server {

/// The first ranks of a job serve, the others work; or all do both.
class Roles {
public:
    /// `servers`: that do not work; 0: all ranks serve and work. Precondition: servers < ranks.
    Roles(int ranks, int servers) : ranks_(ranks), servers_(servers) {}

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

}  // namespace civitas::server
