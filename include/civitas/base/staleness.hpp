#pragma once
/// The rule by which a bound on staleness is kept.
#include <cstdint>

namespace civitas {

/// Whether a step may begin, so that none misses more than `most` steps of others: all that are
/// being made, `active` of them, and the new one may end before any other, and the oldest has
/// already missed `missed` (0 where none is being made).
[[nodiscard]] constexpr bool may_begin_step(std::int64_t most, std::int64_t active,
                                            std::int64_t missed) {
    return missed + active <= most;
}

}  // namespace civitas
