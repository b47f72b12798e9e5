#include "raster.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace civitas::vectorize {
namespace {

/// Number of the 4-connected region of each pixel, and the regions' sizes.
struct Labels {
    std::vector<int> region;
    std::vector<int> size;
};

/// Calls f(neighbour) for the pixels above, below, left and right.
template <class F>
void for_neighbours(int side, int pixel, F f) {
    const int column = pixel % side;
    if (pixel >= side) f(pixel - side);
    if (pixel + side < side * side) f(pixel + side);
    if (column > 0) f(pixel - 1);
    if (column + 1 < side) f(pixel + 1);
}

std::size_t at(int pixel) { return static_cast<std::size_t>(pixel); }

Labels labelled(const ClassRaster& raster) {
    Labels labels{std::vector<int>(raster.classes.size(), -1), {}};
    std::vector<int> open;
    for (int start = 0; start < raster.side * raster.side; ++start) {
        if (labels.region[at(start)] >= 0) continue;
        const int number = static_cast<int>(labels.size.size());
        labels.size.push_back(0);
        labels.region[at(start)] = number;
        open.push_back(start);
        while (!open.empty()) {
            const int here = open.back();
            open.pop_back();
            ++labels.size.back();
            for_neighbours(raster.side, here, [&](int next) {
                const bool same = raster.classes[at(next)] == raster.classes[at(here)];
                if (!same || labels.region[at(next)] >= 0) return;
                labels.region[at(next)] = number;
                open.push_back(next);
            });
        }
    }
    return labels;
}

/// What a small region borders on.
struct Neighbourhood {
    std::array<int, 3> border{};  ///< pixel edges per class beyond
    int building = -1;            ///< a building it touches
    bool many_buildings = false;
};

/// The class with the longest border; of buildings only one that is alone.
std::uint8_t heir(const Neighbourhood& near, std::uint8_t own) {
    auto border = near.border;
    if (near.many_buildings) border[kBuilding] = 0;
    const auto most = std::max_element(border.begin(), border.end());
    return *most == 0 ? own : static_cast<std::uint8_t>(most - border.begin());
}

/// Give small buildings that go on beyond the border the size that keeps them.
void keep_large(const ClassRaster& raster, int least, const LargeWithRest& large, Labels& labels) {
    const int side = raster.side, all = side * side;
    std::set<int> asked;
    for (int p = 0; p < all; ++p) {
        const bool border = p < side || p + side >= all || p % side == 0 || (p + 1) % side == 0;
        const int region = labels.region[at(p)];
        if (!border || raster.classes[at(p)] != kBuilding || labels.size[at(region)] >= least ||
            !asked.insert(region).second)
            continue;
        if (large(least, p)) labels.size[at(region)] = least;
    }
}

/// The regions of one class never touch, so all its small ones can go at once.
void sieve_class(ClassRaster& raster, std::uint8_t own, int least, const LargeWithRest& large) {
    Labels labels = labelled(raster);
    if (own == kBuilding && large) keep_large(raster, least, large, labels);
    const auto small = [&](std::size_t p) {
        return raster.classes[p] == own && labels.size[at(labels.region[p])] < least;
    };
    std::map<int, Neighbourhood> regions;
    for (std::size_t p = 0; p < raster.classes.size(); ++p) {
        if (!small(p)) continue;
        auto& near = regions[labels.region[p]];
        for_neighbours(raster.side, static_cast<int>(p), [&](int next) {
            const auto beyond = raster.classes[at(next)];
            if (beyond == own) return;
            ++near.border[beyond];
            if (beyond != kBuilding) return;
            const int building = labels.region[at(next)];
            near.many_buildings |= near.building >= 0 && near.building != building;
            near.building = building;
        });
    }
    if (regions.empty()) return;
    for (std::size_t p = 0; p < raster.classes.size(); ++p) {
        const auto found = regions.find(labels.region[p]);
        if (found != regions.end()) raster.classes[p] = heir(found->second, own);
    }
}

}  // namespace

ClassRaster sieved(ClassRaster raster, int least, const LargeWithRest& large) {
    for (const auto land_class : {kBuilding, kRoad, kOther})
        sieve_class(raster, land_class, least, large);
    return raster;
}

}  // namespace civitas::vectorize
