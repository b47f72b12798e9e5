#pragma once
/// Sets of numbers that grow together (union and find, with halved paths).
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace civitas {

class Unions {
public:
    /// Each of so many numbers from 0 on is a set of its own.
    explicit Unions(std::int64_t count) : parent_(static_cast<std::size_t>(count)) {
        std::iota(parent_.begin(), parent_.end(), 0);
    }
    /// The least number of its set.
    [[nodiscard]] std::int64_t root(std::int64_t of) {
        while (at(of) != of) of = at(of) = at(at(of));
        return of;
    }
    /// Whether they were apart.
    bool join(std::int64_t a, std::int64_t b) {
        const std::int64_t root_a = root(a), root_b = root(b);
        at(std::max(root_a, root_b)) = std::min(root_a, root_b);
        return root_a != root_b;
    }

private:
    std::int64_t& at(std::int64_t i) { return parent_[static_cast<std::size_t>(i)]; }
    std::vector<std::int64_t> parent_;
};

}  // namespace civitas
