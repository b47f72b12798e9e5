#include "civitas/quality/skeleton.hpp"

#include "components.hpp"
#include "neighbours.hpp"

#include <algorithm>
#include <array>
#include <numbers>

namespace civitas::quality {
namespace {

/// Whether a pixel goes in the first or second half of a pass: conditions (a) to (c) of algorithm
/// A1 in the paper.
bool goes(const Mask& mask, Pixel p, bool first_half) {
    std::array<bool, 8> set{};
    const auto around = eight_neighbours(p);
    std::transform(around.begin(), around.end(), set.begin(), [&](Pixel q) { return mask.at(q); });
    const auto [n, ne, e, se, s, sw, w, nw] = set;
    const int components = (!n && (ne || e) ? 1 : 0) + (!e && (se || s) ? 1 : 0) +
                           (!s && (sw || w) ? 1 : 0) + (!w && (nw || n) ? 1 : 0);
    if (components != 1) return false;
    const auto count = [](auto... pairs) { return (0 + ... + (pairs ? 1 : 0)); };
    const int pairs = std::min(count(nw || n, ne || e, se || s, sw || w),
                               count(n || ne, e || se, s || sw, w || nw));
    if (pairs < 2 || pairs > 3) return false;
    return first_half ? !((n || ne || !se) && e) : !((s || sw || !nw) && w);
}

bool thin(Mask& mask, bool first_half) {
    std::vector<Pixel> going;
    mask.each([&](Pixel p) {
        if (goes(mask, p, first_half)) going.push_back(p);
    });
    for (const Pixel p : going) mask.put(p, false);
    return !going.empty();
}

/// How far roads go on beyond the border: further than the middle of wide ones lies from their
/// sides.
std::int64_t margin_of(std::int64_t pixels) { return std::max<std::int64_t>(4, pixels / 8); }

/// The mask with so many pixels more on every side, where it goes on as it ends at its border.
Mask going_on(const Mask& mask, std::int64_t margin) {
    const std::int64_t last = mask.pixels() - 1;
    Mask wider(mask.pixels() + 2 * margin);
    for (std::int64_t y = 0; y < wider.pixels(); ++y)
        for (std::int64_t x = 0; x < wider.pixels(); ++x)
            wider.put({x, y}, mask.at({std::clamp(x - margin, std::int64_t{0}, last),
                                       std::clamp(y - margin, std::int64_t{0}, last)}));
    return wider;
}

}  // namespace

Mask skeleton_of(const Mask& mask) {
    Mask skeleton = mask;
    bool changed = true;
    while (changed) {
        changed = thin(skeleton, true);
        changed = thin(skeleton, false) || changed;
    }
    return skeleton;
}

std::vector<Pixel> joined_to(const Mask& skeleton, Pixel p) {
    std::vector<Pixel> found;
    for (const Pixel q : eight_neighbours(p)) {
        if (!skeleton.at(q)) continue;
        const bool diagonal = q.x != p.x && q.y != p.y;
        if (!diagonal || (!skeleton.at({q.x, p.y}) && !skeleton.at({p.x, q.y}))) found.push_back(q);
    }
    return found;
}

Network network_of(const Mask& roads) {
    const std::int64_t margin = margin_of(roads.pixels());
    const Mask skeleton = skeleton_of(going_on(roads, margin));
    const auto in_tile = [&](Pixel p) { return roads.holds({p.x - margin, p.y - margin}); };
    Network network;
    Mask junctions(skeleton.pixels());
    skeleton.each([&](Pixel p) {
        if (!in_tile(p)) return;
        const auto ends = joined_to(skeleton, p);
        for (const Pixel q : ends) {
            // The other end of an edge within the tile counts its other half.
            network.length += (q.x != p.x && q.y != p.y ? std::numbers::sqrt2 : 1) / 2;
            if (!in_tile(q)) ++network.exits;
        }
        if (ends.size() <= 1) ++network.dead_ends;
        if (ends.size() >= 3) junctions.put(p, true);
    });
    network.junctions = std::ssize(components_of(junctions, Neighbours::eight));
    return network;
}

}  // namespace civitas::quality
