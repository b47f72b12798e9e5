#pragma once
/// Places in a room, which many take and release one after the other.
#include "civitas/base/numbers.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace civitas {

/// Chooses places so that what stays free lies together: an end of a free stretch, rather beside a
/// wall than beside a neighbour, and rather beside one that came later, since it goes later. Who
/// takes and releases the same in the same order has the same places.
class Places {
public:
    explicit Places(std::int64_t room) : room_(room) {}

    /// A free place for so many elements; none where no free stretch has as many. It is not taken
    /// yet.
    [[nodiscard]] std::optional<Range> find(std::int64_t count) const;
    /// Precondition: it is free.
    void take(Range place);
    /// Precondition: it is taken.
    void release(Range place);
    void clear() noexcept { taken_.clear(); }
    [[nodiscard]] std::int64_t room() const noexcept { return room_; }
    /// The most elements that find() has a place for.
    [[nodiscard]] std::int64_t longest_free() const;

private:
    struct Taken {
        Range place;
        std::int64_t number = 0;  ///< in the order they came
    };
    /// What is free between two neighbours; a wall came last.
    struct Stretch {
        Range free;
        std::int64_t below = 0, above = 0;  ///< numbers of the neighbours
    };
    [[nodiscard]] std::vector<Stretch> stretches() const;

    std::vector<Taken> taken_;  ///< from the lowest place to the highest
    std::int64_t room_;
    std::int64_t came_ = 0;
};

/// Somebody takes a place for so many elements, or gives it back.
struct PlaceUse {
    std::size_t who = 0;
    std::int64_t count = 0;
    bool takes = true;
};
/// Elements of a room where all these find places, one after the other: as many as are taken at
/// once at most, or a little more.
[[nodiscard]] std::int64_t room_of(std::span<const PlaceUse> uses);

}  // namespace civitas
