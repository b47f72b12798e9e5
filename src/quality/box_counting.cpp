#include "box_counting.hpp"

#include "line_fit.hpp"

#include <cmath>

namespace civitas::quality {
namespace {

std::int64_t boxes_of(const Mask& mask, std::int64_t side) {
    Mask boxes((mask.pixels() + side - 1) / side);
    mask.each([&](Pixel p) { boxes.put({p.x / side, p.y / side}, true); });
    return boxes.area();
}

}  // namespace

std::optional<BoxDimension> box_dimension(const Mask& mask) {
    if (mask.area() == 0) return std::nullopt;
    LineFit fit;
    for (std::int64_t side = 2; side <= 64 && 2 * side <= mask.pixels(); side *= 2)
        fit.add(-std::log(static_cast<double>(side)),
                std::log(static_cast<double>(boxes_of(mask, side))));
    return BoxDimension{fit.slope(), fit.r_squared()};
}

}  // namespace civitas::quality
