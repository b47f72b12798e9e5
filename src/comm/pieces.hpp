#pragma once
/// Messages longer than an int can say travel in pieces.
#include <algorithm>
#include <cstdint>

namespace civitas::comm {

inline constexpr std::int64_t piece_bytes = std::int64_t{1} << 30;

/// Calls act(offset, length) for the pieces of [0, bytes).
template <class Do>
void in_pieces(std::int64_t bytes, Do&& act) {
    for (std::int64_t at = 0; at < bytes; at += piece_bytes)
        act(at, static_cast<int>(std::min(piece_bytes, bytes - at)));
}

}  // namespace civitas::comm
