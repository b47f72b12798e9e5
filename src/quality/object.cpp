#include "object.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

namespace civitas::quality {
namespace {

/// Where an object lies.
struct Box {
    Pixel least{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::max()};
    Pixel most{};
    [[nodiscard]] std::int64_t side() const {
        return 1 + std::max(most.x - least.x, most.y - least.y);
    }
};

Box box_of(std::span<const Pixel> object) {
    Box box;
    for (const Pixel p : object) {
        box.least = {std::min(box.least.x, p.x), std::min(box.least.y, p.y)};
        box.most = {std::max(box.most.x, p.x), std::max(box.most.y, p.y)};
    }
    return box;
}

/// How many quads of four pixels are of each kind: bit 0 north-west, 1 north-east, 2 south-west, 3
/// south-east.
std::array<std::int64_t, 16> quads_of(std::span<const Pixel> object) {
    const Mask mask = mask_of(object);
    std::array<std::int64_t, 16> quads{};
    for (std::int64_t y = -1; y < mask.pixels(); ++y)
        for (std::int64_t x = -1; x < mask.pixels(); ++x) {
            const unsigned kind = (mask.at({x, y}) ? 1U : 0) | (mask.at({x + 1, y}) ? 2U : 0) |
                                  (mask.at({x, y + 1}) ? 4U : 0) |
                                  (mask.at({x + 1, y + 1}) ? 8U : 0);
            ++quads[kind];
        }
    return quads;
}

}  // namespace

Mask mask_of(std::span<const Pixel> object) {
    const Box box = box_of(object);
    Mask mask(box.side());
    for (const Pixel p : object) mask.put({p.x - box.least.x, p.y - box.least.y}, true);
    return mask;
}

ObjectSizes sizes_of(std::span<const Pixel> object) {
    std::int64_t four_times_euler = 0;
    std::int64_t across = 0, diagonal = 0;
    const auto quads = quads_of(object);
    for (unsigned kind = 0; kind < 16; ++kind) {
        const std::int64_t n = quads[kind];
        const bool nw = (kind & 1U) != 0, ne = (kind & 2U) != 0, sw = (kind & 4U) != 0,
                   se = (kind & 8U) != 0;
        const int set = std::popcount(kind);
        if (set == 1) four_times_euler += n;
        if (set == 3) four_times_euler -= n;
        if (set == 2 && nw == se) four_times_euler += 2 * n;
        // A row between two pixels is seen by the quads above and below it: one of them counts.
        across += n * ((nw != ne ? 1 : 0) + (nw != sw ? 1 : 0));
        diagonal += n * ((nw != se ? 1 : 0) + (ne != sw ? 1 : 0));
    }
    // Lines of four directions, those along the grid a pixel apart, diagonal ones 1 / sqrt(2): the
    // mean over directions of crossings times distance, times pi / 2, is the length.
    const double crossings =
        static_cast<double>(across) + static_cast<double>(diagonal) / std::numbers::sqrt2;
    return {std::numbers::pi / 2 * crossings / 4, 1 - four_times_euler / 4};
}

}  // namespace civitas::quality
