#include "civitas/report/sheet.hpp"

#include "civitas/base/error.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

namespace civitas::report {
namespace {

using Paint = std::array<float, 3>;

constexpr Paint building{122, 50, 40};
constexpr Paint road{232, 226, 216};
constexpr Paint other{198, 218, 180};
constexpr io::Colour gutter_colour{255, 255, 255};
constexpr int gutter = 5;

// A square plan in colours, row by row.
struct Plan {
    std::int64_t pixels = 0;
    std::vector<Paint> paint;
    [[nodiscard]] const Paint& at(std::int64_t x, std::int64_t y) const {
        return paint[static_cast<std::size_t>(y * pixels + x)];
    }
};

Paint mix(const Paint& a, const Paint& b, float share_of_b) {
    Paint out{};
    for (std::size_t c = 0; c < out.size(); ++c) out[c] = a[c] + share_of_b * (b[c] - a[c]);
    return out;
}

// Coverage of the three classes as weights; a plan that claims nothing is open ground.
Paint of_soft(float b, float r, float o) {
    const auto weight = [](float v) { return std::clamp((v + 1) / 2, 0.0F, 1.0F); };
    const std::array<float, 3> w{weight(b), weight(r), weight(o)};
    const float sum = w[0] + w[1] + w[2];
    if (!(sum > 0)) return other;
    Paint out{};
    for (std::size_t c = 0; c < out.size(); ++c)
        out[c] = (w[0] * building[c] + w[1] * road[c] + w[2] * other[c]) / sum;
    return out;
}

Paint of_grey(float value) {
    const float v = std::clamp(value, -1.0F, 1.0F);
    return v < 0 ? mix(road, other, -v) : mix(road, building, v);
}

Plan plan_of(const SoftImage& image) {
    const auto area = static_cast<std::size_t>(image.pixels * image.pixels);
    ensure(image.channels == 1 || image.channels == 3, "a soft image has one or three channels");
    ensure(image.values_CHW.size() == area * static_cast<std::size_t>(image.channels),
           "a soft image has channels x pixels x pixels values");
    Plan plan{image.pixels, std::vector<Paint>(area)};
    const float* v = image.values_CHW.data();
    for (std::size_t i = 0; i < area; ++i)
        plan.paint[i] =
            image.channels == 1 ? of_grey(v[i]) : of_soft(v[i], v[area + i], v[2 * area + i]);
    return plan;
}

Plan plan_of(std::span<const std::uint8_t> classes, std::int64_t pixels) {
    constexpr std::array<Paint, 3> paints{other, road, building};
    Plan plan{pixels, {}};
    for (const std::uint8_t c : classes) {
        ensure(c < paints.size(), "classes are 0, 1 and 2");
        plan.paint.push_back(paints[c]);
    }
    return plan;
}

Plan plan_of_image(std::span<const std::uint8_t> rgb, std::int64_t pixels) {
    Plan plan{pixels, {}};
    for (std::size_t i = 0; i < rgb.size(); i += 3)
        plan.paint.push_back({static_cast<float>(rgb[i]), static_cast<float>(rgb[i + 1]),
                              static_cast<float>(rgb[i + 2])});
    return plan;
}

io::Colour rounded(const Paint& p) {
    const auto byte = [](float v) { return static_cast<std::uint8_t>(std::lround(v)); };
    return {byte(p[0]), byte(p[1]), byte(p[2])};
}

Paint nearest(const Plan& plan, int x, int y, int factor) {
    return plan.at(x / factor, y / factor);
}

// Where pixel `x` of the enlargement lies between the centres of two pixels of the plan.
struct Between {
    std::int64_t low = 0;
    std::int64_t high = 0;
    float share = 0;
    Between(int x, int factor, std::int64_t pixels) {
        const float place = (static_cast<float>(x) + 0.5F) / static_cast<float>(factor) - 0.5F;
        const auto floor = static_cast<std::int64_t>(std::floor(place));
        low = std::clamp<std::int64_t>(floor, 0, pixels - 1);
        high = std::clamp<std::int64_t>(floor + 1, 0, pixels - 1);
        share = place - static_cast<float>(floor);
    }
};

Paint bilinear(const Plan& plan, int x, int y, int factor) {
    const Between h(x, factor, plan.pixels);
    const Between v(y, factor, plan.pixels);
    return mix(mix(plan.at(h.low, v.low), plan.at(h.high, v.low), h.share),
               mix(plan.at(h.low, v.high), plan.at(h.high, v.high), h.share), v.share);
}

using Enlargement = Paint (*)(const Plan&, int x, int y, int factor);

// What the sheet's tiles have in common.
struct Grid {
    int count;
    int columns;
    int side;
    int factor;
    int gap;  // pixels between tiles, and around them
    Grid(std::size_t plans, int wanted_columns, std::int64_t pixels, int tile_pixels,
         int wanted_gap = gutter)
        : count(static_cast<int>(plans)),
          columns(std::min(count, wanted_columns)),
          gap(wanted_gap) {
        ensure(count > 0 && columns > 0 && pixels > 0, "a sheet has plans and columns");
        const auto p = static_cast<int>(pixels);
        factor = std::max(1, (tile_pixels + p - 1) / p);
        side = p * factor;
    }
    [[nodiscard]] int extent(int tiles) const { return tiles * (side + gap) + gap; }
    [[nodiscard]] int rows() const { return (count + columns - 1) / columns; }
};

io::Picture sheet(const Grid& grid, Enlargement enlarged, const std::function<Plan(int)>& plan_at) {
    io::Picture picture(grid.extent(grid.columns), grid.extent(grid.rows()), gutter_colour);
    for (int i = 0; i < grid.count; ++i) {
        const Plan plan = plan_at(i);
        const int left = grid.extent(i % grid.columns);
        const int top = grid.extent(i / grid.columns);
        for (int y = 0; y < grid.side; ++y)
            for (int x = 0; x < grid.side; ++x)
                picture.at(left + x, top + y) = rounded(enlarged(plan, x, y, grid.factor));
    }
    return picture;
}

std::size_t plans_in(std::span<const std::uint8_t> classes, std::int64_t pixels) {
    const auto area = static_cast<std::size_t>(pixels * pixels);
    ensure(area > 0 && classes.size() % area == 0, "classes are whole plans");
    return classes.size() / area;
}

io::Picture sheet_of(std::span<const std::uint8_t> classes, std::int64_t pixels, const Grid& grid) {
    const auto area = static_cast<std::size_t>(pixels * pixels);
    return sheet(grid, nearest, [&](int i) {
        return plan_of(classes.subspan(static_cast<std::size_t>(i) * area, area), pixels);
    });
}

}  // namespace

io::Picture sheet_of_soft(std::span<const SoftImage> images, int columns, int tile_pixels) {
    ensure(!images.empty(), "a sheet has plans");
    const std::int64_t pixels = images[0].pixels;
    return sheet(Grid(images.size(), columns, pixels, tile_pixels), bilinear, [&](int i) {
        const SoftImage& image = images[static_cast<std::size_t>(i)];
        ensure(image.pixels == pixels, "the plans of a sheet are of one size");
        return plan_of(image);
    });
}

io::Picture sheet_of_classes(std::span<const std::uint8_t> classes, std::int64_t pixels,
                             int columns, int tile_pixels) {
    const std::size_t plans = plans_in(classes, pixels);
    return sheet_of(classes, pixels, Grid(plans, columns, pixels, tile_pixels));
}

io::Picture map_of_classes(std::span<const std::uint8_t> classes, std::int64_t pixels,
                           int columns) {
    constexpr int as_they_are = 1, no_gap = 0;
    const std::size_t plans = plans_in(classes, pixels);
    return sheet_of(classes, pixels, Grid(plans, columns, pixels, as_they_are, no_gap));
}

io::Picture sheet_of_images(std::span<const std::uint8_t> rgb, std::int64_t pixels, int columns,
                            int tile_pixels) {
    const auto each = static_cast<std::size_t>(pixels * pixels * 3);
    ensure(each > 0 && rgb.size() % each == 0, "bytes are whole images");
    return sheet(Grid(rgb.size() / each, columns, pixels, tile_pixels), nearest, [&](int i) {
        return plan_of_image(rgb.subspan(static_cast<std::size_t>(i) * each, each), pixels);
    });
}

}  // namespace civitas::report
