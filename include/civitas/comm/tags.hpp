#pragma once
/// How many messages between two ranks MPI can tell apart.
#include <cstdint>

namespace civitas::comm {

/// Tags that every network has: MPI promises so many.
inline constexpr int tags_everywhere = 32768;
/// The largest tag of a message, which is a matter of the network: 2^31 - 1, or 2^23 - 1 by UCX.
[[nodiscard]] std::int64_t largest_tag();

}  // namespace civitas::comm
