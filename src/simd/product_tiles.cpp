#include "product_tiles.hpp"

#include "civitas/simd/tile_product.hpp"

#include <algorithm>
#include <array>

#define CIVITAS_AMX gnu::target("amx-tile,amx-bf16")

namespace civitas::simd {
namespace {

/// Rows of a tile, and words of one of its rows.
constexpr std::int64_t side = rows_of_tile;
static_assert(side == 16 && rows_of_tiles == 2 * side && panel == 2 * side);

/// What LDTILECFG reads.
struct alignas(64) TileConfiguration {
    std::uint8_t palette = 1, start_row = 0;
    std::array<std::uint8_t, 14> reserved = {};
    std::array<std::uint16_t, 16> bytes_of_row = {};
    std::array<std::uint8_t, 16> rows = {};
};

/// For a block of rows and a step of words. Instructions name tiles by literals: 0 and 1 are sums
/// of the upper sixteen rows, 2 and 3 those of the lower ones, 4 and 5 upper and lower rows of `a`,
/// 6 and 7 the halves of a panel of `b`.
TileConfiguration configuration_for(ProductSize size) {
    constexpr auto word = static_cast<std::int64_t>(sizeof(Word));
    TileConfiguration made;
    const auto set = [&](std::size_t tile, std::int64_t rows, std::int64_t words) {
        made.rows[tile] = static_cast<std::uint8_t>(rows);
        made.bytes_of_row[tile] = static_cast<std::uint16_t>(words * word);
    };
    const std::int64_t upper = std::min(size.rows, side);
    const std::int64_t lower = std::max(size.rows, side + 1) - side;
    for (const std::size_t tile : {0U, 1U}) set(tile, upper, side);
    for (const std::size_t tile : {2U, 3U}) set(tile, lower, side);
    set(4, upper, size.words);
    set(5, lower, size.words);
    for (const std::size_t tile : {6U, 7U}) set(tile, size.words, side);
    return made;
}

/// GCC's _tile_loadconfig reads eight bytes alone, for all that GCC knows.
void configure(const TileConfiguration& tiles) { __asm__ volatile("ldtilecfg %0" : : "m"(tiles)); }

constexpr std::int64_t bytes_of_panel = panel * sizeof(Word);

template <bool with_lower>
[[CIVITAS_AMX]] void load_sums(const float* c, Sum sum) {
    const float* const lower = c + side * panel;
    if (sum == Sum::begins) {
        _tile_zero(0);
        _tile_zero(1);
        if constexpr (with_lower) {
            _tile_zero(2);
            _tile_zero(3);
        }
        return;
    }
    _tile_loadd(0, c, bytes_of_panel);
    _tile_loadd(1, c + side, bytes_of_panel);
    if constexpr (with_lower) {
        _tile_loadd(2, lower, bytes_of_panel);
        _tile_loadd(3, lower + side, bytes_of_panel);
    }
}

template <bool with_lower>
[[CIVITAS_AMX]] void store_sums(float* c) {
    float* const lower = c + side * panel;
    _tile_stored(0, c, bytes_of_panel);
    _tile_stored(1, c + side, bytes_of_panel);
    if constexpr (with_lower) {
        _tile_stored(2, lower, bytes_of_panel);
        _tile_stored(3, lower + side, bytes_of_panel);
    }
}

/// Two tiles of rows of `a`, or the upper one alone.
struct TilePair {
    const Word *upper, *lower;
    std::int64_t row;  ///< words from row to row
};

/// Adds to the sums, `step` words at a time. A processor that has stored no tile for half a
/// microsecond takes a quarter of one to do so (measured on Xeons with AMX), so one is stored now
/// and then that nobody reads.
template <bool with_lower>
[[CIVITAS_AMX]] void add_products(TilePair a, Taps taps, std::int64_t step, const Word* b) {
    const auto bytes_of_row = static_cast<std::int64_t>(sizeof(Word)) * a.row;
    alignas(64) std::array<Word, side * side> unread;
    bool stores = false;
    for (const std::int64_t tap : taps.offsets)
        for (std::int64_t k = 0; k < taps.words; k += step, b += step * panel) {
            _tile_loadd(6, b, bytes_of_panel);
            _tile_loadd(4, a.upper + tap + k, bytes_of_row);
            _tile_loadd(7, b + side, bytes_of_panel);
            _tile_dpbf16ps(0, 4, 6);
            if constexpr (with_lower) _tile_loadd(5, a.lower + tap + k, bytes_of_row);
            _tile_dpbf16ps(1, 4, 7);
            if constexpr (with_lower) {
                _tile_dpbf16ps(2, 5, 6);
                _tile_dpbf16ps(3, 5, 7);
            }
            if (stores) _tile_stored(6, unread.data(), side * sizeof(Word));
            stores = !stores;
        }
}

template <bool with_lower>
[[CIVITAS_AMX]] void multiply_pair(TilePair a, Taps taps, std::int64_t step, const Word* b,
                                   float* c, Sum sum) {
    __asm__ volatile("" : : : "memory");  // GCC's _tile_loadd does not say that it reads any
    load_sums<with_lower>(c, sum);
    add_products<with_lower>(a, taps, step, b);
    store_sums<with_lower>(c);
}

/// All rows; words in steps, which are whole.
[[CIVITAS_AMX]] void multiply_steps(ProductSize size, std::int64_t step, Rows a, const Word* b,
                                    float* c, Sum sum) {
    constexpr std::array<std::int64_t, 1> here = {0};
    std::int64_t configured = 0;
    for (std::int64_t row = 0; row < size.rows; row += rows_of_tiles) {
        const std::int64_t rows = std::min(size.rows - row, rows_of_tiles);
        if (rows != configured) {
            configure(configuration_for({rows, step}));
            configured = rows;
        }
        const Word* const upper = a.data + row * a.row;
        const auto multiply = rows > side ? multiply_pair<true> : multiply_pair<false>;
        multiply({upper, upper + side * a.row, a.row}, {here, size.words}, step, b, c + row * panel,
                 sum);
    }
    _tile_release();
}

}  // namespace

[[CIVITAS_AMX]] void multiply_taps(RowTiles a, Taps taps, const Word* b, float* c, Sum sum) {
    configure(configuration_for({rows_of_tiles, side}));
    const auto& first = a.first;
    for (std::size_t t = 0; t < first.size(); t += 2, c += rows_of_tiles * panel) {
        if (t + 1 < first.size())
            multiply_pair<true>({first[t], first[t + 1], a.row}, taps, side, b, c, sum);
        else
            multiply_pair<false>({first[t], nullptr, a.row}, taps, side, b, c, sum);
    }
    _tile_release();
}

void multiply_tiles(ProductSize size, Rows a, const Word* b, float* c, Sum sum) {
    const std::int64_t whole = size.words / side * side, rest = size.words - whole;
    if (whole > 0) {
        multiply_steps({size.rows, whole}, side, a, b, c, sum);
        sum = Sum::goes_on;
    }
    if (rest == 0) return;
    const Rows behind{a.data + whole, a.row, a.word};
    multiply_steps({size.rows, rest}, rest, behind, b + whole * panel, c, sum);
}

}  // namespace civitas::simd
