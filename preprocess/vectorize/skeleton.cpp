#include "skeleton.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace civitas::vectorize {
namespace {

constexpr int kMargin = 24;  // pixels: more than half of the width of any street

/// From the upper one with the clock.
constexpr std::array<Pixel, 8> kAround{
    {{0, -1}, {1, -1}, {1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}}};

Pixel moved(Pixel p, Pixel by) { return {p.column + by.column, p.row + by.row}; }

}  // namespace

Skeleton::Skeleton(const ClassRaster& raster, std::uint8_t land_class)
    : side_(raster.side), margin_(kMargin), stride_(raster.side + 2 * kMargin) {
    const auto size = static_cast<std::size_t>(stride_) * static_cast<std::size_t>(stride_);
    whole_.assign(size, 0);
    for (int row = -margin_ + 1; row < side_ + margin_ - 1; ++row) {
        for (int column = -margin_ + 1; column < side_ + margin_ - 1; ++column) {
            const int r = std::clamp(row, 0, side_ - 1), c = std::clamp(column, 0, side_ - 1);
            const auto from = static_cast<std::size_t>(r) * static_cast<std::size_t>(side_) +
                              static_cast<std::size_t>(c);
            whole_[at({column, row})] = raster.classes[from] == land_class ? 1 : 0;
        }
    }
    thin_ = whole_;
    for (bool changed = true; changed;) {
        changed = peel(0);
        changed = peel(1) || changed;
    }
}

/// One of the two subiterations, by the names of the paper: C counts the runs of neighbours, N the
/// neighbours, and the third condition is what takes turns.
bool Skeleton::peel(int round) {
    std::vector<std::size_t> gone;
    for (int row = -margin_ + 1; row < side_ + margin_ - 1; ++row) {
        for (int column = -margin_ + 1; column < side_ + margin_ - 1; ++column) {
            const Pixel here{column, row};
            if (!has(here)) continue;
            std::array<bool, 8> p{};  // P2 to P9
            for (std::size_t k = 0; k < 8; ++k) p[k] = has(moved(here, kAround[k]));
            int runs = 0, n1 = 0, n2 = 0;
            for (std::size_t k = 0; k < 8; k += 2) {
                const bool next = p[k + 1], after = p[(k + 2) % 8];
                runs += !p[k] && (next || after) ? 1 : 0;
                n1 += p[(k + 7) % 8] || p[k] ? 1 : 0;
                n2 += p[k] || next ? 1 : 0;
            }
            const int n = std::min(n1, n2);
            const bool stays =
                round == 0 ? (p[4] || p[5] || !p[7]) && p[6] : (p[0] || p[1] || !p[3]) && p[2];
            if (runs == 1 && n >= 2 && n <= 3 && !stays) gone.push_back(at(here));
        }
    }
    for (const auto pixel : gone) thin_[pixel] = 0;
    return !gone.empty();
}

std::vector<Pixel> Skeleton::pixels() const {
    std::vector<Pixel> all;
    for (int row = -margin_; row < side_ + margin_; ++row) {
        for (int column = -margin_; column < side_ + margin_; ++column) {
            if (has({column, row})) all.push_back({column, row});
        }
    }
    return all;
}

std::vector<Pixel> Skeleton::neighbours(Pixel p) const {
    std::vector<Pixel> found;
    for (std::size_t k = 0; k < 8; ++k) {
        const auto near = [&](std::size_t side) { return moved(p, kAround[side % 8]); };
        const bool corner = k % 2 == 1;
        if (!has(near(k)) || (corner && (has(near(k + 7)) || has(near(k + 1))))) continue;
        found.push_back(near(k));
    }
    return found;
}

double Skeleton::width(Pixel p) const {
    const auto foreign = [&](int dx, int dy) {
        const Pixel q{std::clamp(p.column + dx, -margin_, side_ + margin_ - 1),
                      std::clamp(p.row + dy, -margin_, side_ + margin_ - 1)};
        return whole_[at(q)] == 0;
    };
    double nearest = stride_;
    for (int reach = 1; reach < nearest; ++reach) {
        for (int d = -reach; d <= reach; ++d) {
            for (const auto& [dx, dy] : {std::pair{d, -reach}, {d, reach}, {-reach, d}, {reach, d}})
                if (foreign(dx, dy)) nearest = std::min(nearest, std::hypot(dx, dy));
        }
    }
    // Between middles of pixels: one less than twice that where the line runs along the middle of
    // an odd number of pixels, twice that beside the middle of an even one.
    return std::max(1.0, 2 * nearest - 0.5);
}

}  // namespace civitas::vectorize
