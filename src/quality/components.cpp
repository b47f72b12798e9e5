#include "components.hpp"

#include "neighbours.hpp"

#include <algorithm>

namespace civitas::quality {
namespace {

/// Takes the component of a pixel out of the mask.
std::vector<Pixel> taken_out(Mask& left, Pixel first, Neighbours neighbours) {
    std::vector<Pixel> found{first};
    left.put(first, false);
    const auto reach = [&](const auto& around) {
        for (const Pixel q : around) {
            if (!left.at(q)) continue;
            left.put(q, false);
            found.push_back(q);
        }
    };
    for (std::size_t looked_at = 0; looked_at < found.size();) {
        const Pixel p = found[looked_at++];
        if (neighbours == Neighbours::four)
            reach(four_neighbours(p));
        else
            reach(eight_neighbours(p));
    }
    return found;
}

}  // namespace

Components components_of(const Mask& mask, Neighbours neighbours) {
    Components components;
    Mask left = mask;
    mask.each([&](Pixel p) {
        if (left.at(p)) components.push_back(taken_out(left, p, neighbours));
    });
    return components;
}

std::size_t largest_of(const Components& components) {
    std::size_t largest = 0;
    for (const auto& component : components) largest = std::max(largest, component.size());
    return largest;
}

double largest_share(const Components& components) {
    std::size_t all = 0;
    for (const auto& component : components) all += component.size();
    return all == 0 ? 0 : static_cast<double>(largest_of(components)) / static_cast<double>(all);
}

}  // namespace civitas::quality
