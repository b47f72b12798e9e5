#include "civitas/base/first_fit.hpp"

#include "civitas/base/error.hpp"

#include <algorithm>

namespace civitas {

Range FirstFit::find(std::int64_t count) const {
    std::int64_t begin = 0;
    for (const Range& other : taken_) {
        if (begin + count <= other.begin) break;
        begin = std::max(begin, other.end());
    }
    return {begin, count};
}

void FirstFit::take(Range place) {
    const auto after =
        std::ranges::find_if(taken_, [&](const Range& other) { return other.end() > place.begin; });
    ensure(after == taken_.end() || place.end() <= after->begin, "the place is free");
    taken_.insert(after, place);
    room_ = std::max(room_, place.end());
}

void FirstFit::release(Range place) {
    const auto found = std::ranges::find(taken_, place);
    ensure(found != taken_.end(), "the place is taken");
    taken_.erase(found);
}

}  // namespace civitas
