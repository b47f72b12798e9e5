#pragma once
/// Places in a room, of which many come and go.
#include "civitas/base/numbers.hpp"

#include <cstdint>
#include <vector>

namespace civitas {

/// Gives each the lowest place that is free. Who takes and releases the same in the same order has
/// the same places.
class FirstFit {
public:
    /// The lowest place for so many elements. It is not taken yet.
    [[nodiscard]] Range find(std::int64_t count) const;
    /// Precondition: it is free.
    void take(Range place);
    /// Precondition: it is taken.
    void release(Range place);
    void clear() noexcept { taken_.clear(); }
    /// Where the highest place ended that was ever taken.
    [[nodiscard]] std::int64_t room() const noexcept { return room_; }

private:
    std::vector<Range> taken_;  ///< in ascending order
    std::int64_t room_ = 0;
};

}  // namespace civitas
