#include "civitas/base/places.hpp"

#include "civitas/base/error.hpp"

#include <algorithm>
#include <limits>
#include <map>

namespace civitas {
namespace {

constexpr std::int64_t wall = std::numeric_limits<std::int64_t>::max();

}  // namespace

std::vector<Places::Stretch> Places::stretches() const {
    std::vector<Stretch> all;
    Taken below{{0, 0}, wall};
    const auto add = [&](const Taken& above) {
        const std::int64_t begin = below.place.end();
        all.push_back({{begin, above.place.begin - begin}, below.number, above.number});
        below = above;
    };
    for (const Taken& above : taken_) add(above);
    add({{room_, 0}, wall});
    return all;
}

std::int64_t Places::longest_free() const {
    std::int64_t longest = 0;
    for (const Stretch& stretch : stretches()) longest = std::max(longest, stretch.free.count);
    return longest;
}

std::optional<Range> Places::find(std::int64_t count) const {
    std::optional<Stretch> tight;  // others stay whole
    for (const Stretch& stretch : stretches())
        if (stretch.free.count >= count && (!tight || stretch.free.count < tight->free.count))
            tight = stretch;
    if (!tight) return std::nullopt;
    const bool below = tight->below >= tight->above;
    return Range{below ? tight->free.begin : tight->free.end() - count, count};
}

void Places::take(Range place) {
    const auto after = std::ranges::find_if(
        taken_, [&](const Taken& other) { return other.place.end() > place.begin; });
    ensure((after == taken_.end() || place.end() <= after->place.begin) && place.end() <= room_,
           "the place is free");
    taken_.insert(after, {place, came_++});
}

void Places::release(Range place) {
    const auto found =
        std::ranges::find_if(taken_, [&](const Taken& other) { return other.place == place; });
    ensure(found != taken_.end(), "the place is taken");
    taken_.erase(found);
}

namespace {

/// What a room lacks; 0 when all find places in it.
std::int64_t lacking(std::span<const PlaceUse> uses, std::int64_t room) {
    Places places(room);
    std::map<std::size_t, Range> held;
    for (const PlaceUse& use : uses) {
        if (!use.takes) {
            places.release(held.at(use.who));
            continue;
        }
        const auto place = places.find(use.count);
        if (!place) return use.count - places.longest_free();
        places.take(held[use.who] = *place);
    }
    return 0;
}

}  // namespace

std::int64_t room_of(std::span<const PlaceUse> uses) {
    std::int64_t now = 0, room = 0;
    std::map<std::size_t, std::int64_t> held;
    for (const PlaceUse& use : uses) {
        if (use.takes)
            now += held[use.who] = use.count;
        else
            now -= held.at(use.who);
        room = std::max(room, now);
    }
    while (const std::int64_t more = lacking(uses, room)) room += more;
    return room;
}

}  // namespace civitas
