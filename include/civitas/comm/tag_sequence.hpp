#pragma once
/// Tags for exchanges that are under way at the same time.
#include "civitas/comm/mpi_point_to_point.hpp"
#include "civitas/comm/tags.hpp"

#include <utility>

namespace civitas::comm {

/// Tags in turn, of those that every network has: the same on ranks that begin the same exchanges.
class TagSequence {
public:
    [[nodiscard]] Tag next() { return Tag{std::exchange(next_, (next_ + 1) % tags_everywhere)}; }
    void restart() noexcept { next_ = 0; }

private:
    int next_ = 0;
};

}  // namespace civitas::comm
