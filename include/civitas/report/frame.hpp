#pragma once
/// What stands around a picture: an axis on its left and one below it.
#include <string>
#include <vector>

namespace civitas::report {

/// A place on an axis as a share of its length, from the left or from below, and what stands there.
struct Tick {
    double share = 0;
    std::string words;
};

struct Axis {
    std::string name;
    std::vector<Tick> ticks;
};

/// A picture in HTML, as wide as the page leaves it, with its axes. Their words keep their size,
/// whatever the picture's.
[[nodiscard]] std::string framed(const std::string& picture, const Axis& below, const Axis& left);

}  // namespace civitas::report
