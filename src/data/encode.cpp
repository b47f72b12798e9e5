#include "civitas/base/error.hpp"
#include "civitas/data/coding.hpp"
#include "civitas/data/tile_store.hpp"

#include <algorithm>

namespace civitas::data {
namespace {

/// Pixels per class of each cell of a row of cells. At most 8 x 8 of them, so a byte holds it.
struct CellCounts {
    explicit CellCounts(std::size_t cells) : road(cells), building(cells) {}
    std::vector<std::uint8_t> road, building;
};

/// One class, one row of cells: factor rows of pixels summed down, then factor columns across.
template <std::size_t factor>
void count(std::span<const std::uint8_t> rows, std::uint8_t wanted, std::span<std::uint8_t> column,
           std::span<std::uint8_t> cells) {
    std::fill(column.begin(), column.end(), std::uint8_t{0});
    for (std::size_t y = 0; y < factor; ++y) {
        const std::uint8_t* row = rows.data() + y * column.size();
        for (std::size_t x = 0; x < column.size(); ++x)
            column[x] = static_cast<std::uint8_t>(column[x] + (row[x] == wanted ? 1 : 0));
    }
    for (std::size_t x = 0; x < cells.size(); ++x) {
        unsigned sum = 0;
        for (std::size_t i = 0; i < factor; ++i) sum += column[x * factor + i];
        cells[x] = static_cast<std::uint8_t>(sum);
    }
}

void count_cells(std::span<const std::uint8_t> rows, std::int64_t factor,
                 std::span<std::uint8_t> column, CellCounts& cells) {
    const auto both = [&]<std::size_t f>() {
        count<f>(rows, static_cast<std::uint8_t>(LandClass::road), column, cells.road);
        count<f>(rows, static_cast<std::uint8_t>(LandClass::building), column, cells.building);
    };
    switch (factor) {
        case 1: return both.operator()<1>();
        case 2: return both.operator()<2>();
        case 4: return both.operator()<4>();
        default: return both.operator()<8>();
    }
}

/// Where a symmetry puts the pixel (y, x) of an image of side n: start + y * down + x * right.
struct Steps {
    std::int64_t start = 0;
    std::int64_t down = 0;
    std::int64_t right = 0;
};

std::int64_t placed(std::int64_t y, std::int64_t x, std::int64_t n, Symmetry symmetry) {
    const unsigned bits = static_cast<unsigned>(symmetry);
    if ((bits & 1U) != 0) x = n - 1 - x;
    for (unsigned turn = 0; turn < bits >> 1U; ++turn) {
        const std::int64_t old_y = y;
        y = n - 1 - x;
        x = old_y;
    }
    return y * n + x;
}

Steps steps_of(Symmetry symmetry, std::int64_t n) {
    if (n == 1) return {};
    const std::int64_t start = placed(0, 0, n, symmetry);
    return {start, placed(1, 0, n, symmetry) - start, placed(0, 1, n, symmetry) - start};
}

/// The value of each possible count of pixels: differences of counts scaled to [-1, 1], exact.
float scaled(int difference, std::int64_t pixels) {
    return static_cast<float>(difference) / static_cast<float>(pixels);
}

void put_row(const CellCounts& cells, std::int64_t pixels, Coding coding, std::int64_t to,
             std::int64_t right, std::span<float> image_CHW) {
    float* first = image_CHW.data();
    const auto plane = static_cast<std::int64_t>(image_CHW.size()) / channels(coding);
    const int all = static_cast<int>(pixels);
    for (std::size_t x = 0; x < cells.road.size(); ++x, to += right) {
        const int building = cells.building[x], road = cells.road[x];
        const int other = all - building - road;
        if (coding == Coding::grey) {
            first[to] = scaled(building - other, pixels);
        } else {
            first[to] = scaled(2 * building - all, pixels);
            first[to + plane] = scaled(2 * road - all, pixels);
            first[to + 2 * plane] = scaled(2 * other - all, pixels);
        }
    }
}

}  // namespace

void encode(std::span<const std::uint8_t> classes, Scaling scaling, Coding coding,
            Symmetry symmetry, std::span<float> image_CHW) {
    const std::int64_t n = scaling.net_pixels, f = scaling.factor();
    const auto side = static_cast<std::size_t>(scaling.store_pixels);
    expect(classes.size() == side * side, "a whole tile is encoded");
    expect(image_CHW.size() == static_cast<std::size_t>(channels(coding) * n * n),
           "room for the encoded tile");
    const Steps steps = steps_of(symmetry, n);
    CellCounts cells(static_cast<std::size_t>(n));
    std::vector<std::uint8_t> column(side);
    const std::size_t band = static_cast<std::size_t>(f) * side;
    for (std::int64_t y = 0; y < n; ++y) {
        count_cells(classes.subspan(static_cast<std::size_t>(y) * band, band), f, column, cells);
        put_row(cells, f * f, coding, steps.start + y * steps.down, steps.right, image_CHW);
    }
}

}  // namespace civitas::data
