#pragma once
/// How many messages between two ranks MPI can tell apart, and tags of exchanges under way.
#include "civitas/comm/mpi_point_to_point.hpp"

#include <cstdint>
#include <utility>

namespace civitas::comm {

/// Tags that every network has: MPI promises so many.
inline constexpr int tags_everywhere = 32768;
/// The largest tag of a message, which is a matter of the network: 2^31 - 1, or 2^23 - 1 by UCX.
[[nodiscard]] std::int64_t largest_tag();

/// Tags in turn, of those that every network has: the same on ranks that begin the same exchanges.
class TagSequence {
public:
    [[nodiscard]] Tag next() { return Tag{std::exchange(next_, (next_ + 1) % tags_everywhere)}; }
    void restart() noexcept { next_ = 0; }

private:
    int next_ = 0;
};

}  // namespace civitas::comm
