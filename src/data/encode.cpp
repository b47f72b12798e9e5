#include "encode_image.hpp"
#include "turning.hpp"

#include "civitas/base/error.hpp"
#include "civitas/data/tile_store.hpp"

#include <algorithm>

namespace civitas::data {
namespace {

/// How many pixels of a cell are building (low byte) and road (high byte): at most 8 x 8.
using Counts = std::uint16_t;
constexpr unsigned road_shift = 8;
constexpr unsigned building_mask = 0xff;

/// The same of a column of at most 8 pixels, in the two halves of a byte.
using ColumnCounts = std::uint8_t;
constexpr unsigned half_shift = 4;
constexpr unsigned half_mask = 0xf;

unsigned counted(std::uint8_t land) {
    const unsigned building = land == static_cast<std::uint8_t>(LandClass::building) ? 1 : 0;
    const unsigned road = land == static_cast<std::uint8_t>(LandClass::road) ? 1 : 0;
    return building | road << half_shift;
}

/// One row of cells: `factor` rows of pixels summed down, then `factor` columns across.
template <std::size_t factor>
void count_row(std::span<const std::uint8_t> rows, std::span<ColumnCounts> column,
               std::span<Counts> cells) {
    std::fill(column.begin(), column.end(), ColumnCounts{0});
    for (std::size_t y = 0; y < factor; ++y) {
        const std::uint8_t* row = rows.data() + y * column.size();
        for (std::size_t x = 0; x < column.size(); ++x)
            column[x] = static_cast<ColumnCounts>(column[x] + counted(row[x]));
    }
    for (std::size_t x = 0; x < cells.size(); ++x) {
        unsigned sum = 0;
        for (std::size_t i = 0; i < factor; ++i) {
            const unsigned c = column[x * factor + i];
            sum += (c & half_mask) + (c >> half_shift << road_shift);
        }
        cells[x] = static_cast<Counts>(sum);
    }
}

std::vector<Counts> count_cells(std::span<const std::uint8_t> classes, Scaling scaling) {
    const std::int64_t factor = scaling.factor();
    const auto side = static_cast<std::size_t>(scaling.store_pixels);
    const auto n = static_cast<std::size_t>(scaling.net_pixels);
    const std::size_t band = static_cast<std::size_t>(factor) * side;
    const auto count = factor == 1   ? count_row<1>
                       : factor == 2 ? count_row<2>
                       : factor == 4 ? count_row<4>
                                     : count_row<8>;
    std::vector<Counts> cells(n * n);
    std::vector<ColumnCounts> column(side);
    for (std::size_t y = 0; y < n; ++y)
        count(classes.subspan(y * band, band), column, std::span(cells).subspan(y * n, n));
    return cells;
}

/// Differences of counts over a power of two: exact, so the same on every machine.
void put_values(const std::vector<Counts>& cells, std::int64_t pixels, Coding coding,
                float* image) {
    const std::size_t plane = cells.size();
    const float scale = 1.0F / static_cast<float>(pixels);
    const int all = static_cast<int>(pixels);
    const auto put = [&](float* channel, auto&& difference) {
        for (std::size_t i = 0; i < plane; ++i) {
            const auto building = static_cast<int>(cells[i] & building_mask);
            const auto road = static_cast<int>(cells[i] >> road_shift);
            channel[i] = static_cast<float>(difference(building, road)) * scale;
        }
    };
    if (coding == Coding::grey) {
        put(image, [=](int building, int road) { return 2 * building + road - all; });
        return;
    }
    put(image, [=](int building, int) { return 2 * building - all; });
    put(image + plane, [=](int, int road) { return 2 * road - all; });
    put(image + 2 * plane, [=](int building, int road) { return all - 2 * (building + road); });
}

}  // namespace

void encode(std::span<const std::uint8_t> bytes, Scaling scaling, Coding coding, Symmetry symmetry,
            std::span<float> image_CHW) {
    const std::int64_t n = scaling.net_pixels, factor = scaling.factor();
    const auto side = static_cast<std::size_t>(scaling.store_pixels);
    const std::size_t each = coding == Coding::rgb ? image_channels : 1;
    ensure(bytes.size() == side * side * each, "a whole tile is encoded");
    ensure(image_CHW.size() == static_cast<std::size_t>(channels_of(coding) * n * n),
           "room for the encoded tile");
    if (coding == Coding::rgb) return encode_image(bytes, scaling, symmetry, image_CHW.data());
    const auto cells = turned(count_cells(bytes, scaling), n, symmetry);
    put_values(cells, factor * factor, coding, image_CHW.data());
}

}  // namespace civitas::data
