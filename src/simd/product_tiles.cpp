#include "product_tiles.hpp"

#include "civitas/simd/parts.hpp"
#include "civitas/simd/tile_product.hpp"

#include <algorithm>
#include <array>
#include <ranges>
#include <utility>

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
    std::int64_t row, part;  ///< words from row to row, from part to part
};

/// Which parts of numbers are multiplied.
struct PartPair {
    int a, b;
};
/// In an order that loads few tiles.
template <int parts>
constexpr auto part_pairs = std::array<PartPair, 1>{{{0, 0}}};
template <>
constexpr auto part_pairs<3> =
    std::array<PartPair, 6>{{{2, 0}, {0, 0}, {0, 2}, {0, 1}, {1, 1}, {1, 0}}};

/// How often rows of b are read: those that are soon followed by others need no place in the first
/// cache.
enum class Reads { once, often };

template <Reads reads>
[[CIVITAS_AMX, gnu::always_inline]] inline void load_left_half(const Word* b, std::int64_t row) {
    if constexpr (reads == Reads::once)
        _tile_stream_loadd(6, b, row);
    else
        _tile_loadd(6, b, row);
}
template <Reads reads>
[[CIVITAS_AMX, gnu::always_inline]] inline void load_right_half(const Word* b, std::int64_t row) {
    if constexpr (reads == Reads::once)
        _tile_stream_loadd(7, b + side, row);
    else
        _tile_loadd(7, b + side, row);
}

/// Adds the product of the i-th pair of parts to the sums; a and b begin at the step's words.
template <int parts, bool with_lower, Reads reads, std::size_t i>
[[CIVITAS_AMX, gnu::always_inline]] inline void add_pair(const TilePair& a, const PanelRows& b) {
    constexpr PartPair pair = part_pairs<parts>[i];
    constexpr PartPair last = part_pairs<parts>[i == 0 ? 0 : i - 1];
    constexpr bool new_a = i == 0 || pair.a != last.a, new_b = i == 0 || pair.b != last.b;
    constexpr auto word = static_cast<std::int64_t>(sizeof(Word));
    const Word* const from = b.first + pair.b * b.part;
    if constexpr (new_b) load_left_half<reads>(from, b.row * word);
    if constexpr (new_a) _tile_loadd(4, a.upper + pair.a * a.part, a.row * word);
    if constexpr (new_b) load_right_half<reads>(from, b.row * word);
    _tile_dpbf16ps(0, 4, 6);
    if constexpr (new_a && with_lower) _tile_loadd(5, a.lower + pair.a * a.part, a.row * word);
    _tile_dpbf16ps(1, 4, 7);
    if constexpr (with_lower) {
        _tile_dpbf16ps(2, 5, 6);
        _tile_dpbf16ps(3, 5, 7);
    }
}

template <int parts, bool with_lower, Reads reads, std::size_t... pairs>
[[CIVITAS_AMX, gnu::always_inline]] inline void add_step(const TilePair& a, const PanelRows& b,
                                                         std::index_sequence<pairs...> /*all*/) {
    (add_pair<parts, with_lower, reads, pairs>(a, b), ...);
}

/// Adds all steps to the sums. A processor that has stored no tile for half a microsecond takes a
/// quarter of one to do so (measured on Xeons with AMX), so one is stored now and then that nobody
/// reads.
template <int parts, bool with_lower, Reads reads, class Steps>
[[CIVITAS_AMX]] void add_products(const TilePair& a, const PanelRows& b, Steps steps) {
    alignas(64) std::array<Word, side * side> unread;
    bool stores = false;
    for (const TileStep step : steps) {
        add_step<parts, with_lower, reads>({a.upper + step.a, a.lower + step.a, a.row, a.part},
                                           {b.first + step.b, b.row, b.part},
                                           std::make_index_sequence<part_pairs<parts>.size()>());
        if (stores || parts > 1) _tile_stored(6, unread.data(), side * sizeof(Word));
        stores = !stores;
    }
}

template <int parts, bool with_lower, Reads reads, class Steps>
[[CIVITAS_AMX]] void multiply_pair(const TilePair& a, const PanelRows& b, Steps steps, float* c,
                                   Sum sum) {
    __asm__ volatile("" : : : "memory");  // GCC's _tile_loadd does not say that it reads any
    load_sums<with_lower>(c, sum);
    add_products<parts, with_lower, reads>(a, b, steps);
    store_sums<with_lower>(c);
}

template <int parts>
[[CIVITAS_AMX]] void multiply_parts(RowTiles a, PanelRows b, std::span<const TileStep> steps,
                                    float* c, Sum sum) {
    configure(configuration_for({rows_of_tiles, side}));
    const auto& first = a.first;
    for (std::size_t t = 0; t < first.size(); t += 2, c += rows_of_tiles * panel) {
        if (t + 1 < first.size())
            multiply_pair<parts, true, Reads::once>({first[t], first[t + 1], a.row, a.part}, b,
                                                    steps, c, sum);
        else
            multiply_pair<parts, false, Reads::once>({first[t], first[t], a.row, a.part}, b, steps,
                                                     c, sum);
    }
    _tile_release();
}

/// All rows; `step` words at a time, which are whole.
[[CIVITAS_AMX]] void multiply_rows(ProductSize size, std::int64_t step, Rows a, const Word* b,
                                   float* c, Sum sum) {
    const auto steps = std::views::iota(std::int64_t{0}, size.words / step) |
                       std::views::transform([step](std::int64_t i) {
                           return TileStep{i * step, i * step * panel};
                       });
    std::int64_t configured = 0;
    for (std::int64_t row = 0; row < size.rows; row += rows_of_tiles) {
        const std::int64_t rows = std::min(size.rows - row, rows_of_tiles);
        if (rows != configured) {
            configure(configuration_for({rows, step}));
            configured = rows;
        }
        const Word* const upper = a.data + row * a.row;
        const TilePair pair{upper, upper + side * a.row, a.row, 0};
        const PanelRows right{b, panel, 0};
        float* const sums = c + row * panel;
        if (rows > side)
            multiply_pair<1, true, Reads::often>(pair, right, steps, sums, sum);
        else
            multiply_pair<1, false, Reads::often>(pair, right, steps, sums, sum);
    }
    _tile_release();
}

}  // namespace

template <class T>
void multiply_steps(RowTiles a, PanelRows b, std::span<const TileStep> steps, float* c, Sum sum) {
    multiply_parts<bf16_parts<T>>(a, b, steps, c, sum);
}

template void multiply_steps<float>(RowTiles, PanelRows, std::span<const TileStep>, float*, Sum);
template void multiply_steps<c10::BFloat16>(RowTiles, PanelRows, std::span<const TileStep>, float*,
                                            Sum);

void multiply_tiles(ProductSize size, Rows a, const Word* b, float* c, Sum sum) {
    const std::int64_t whole = size.words / side * side, rest = size.words - whole;
    if (whole > 0) {
        multiply_rows({size.rows, whole}, side, a, b, c, sum);
        sum = Sum::goes_on;
    }
    if (rest == 0) return;
    const Rows behind{a.data + whole, a.row, a.word};
    multiply_rows({size.rows, rest}, rest, behind, b + whole * panel, c, sum);
}

}  // namespace civitas::simd
