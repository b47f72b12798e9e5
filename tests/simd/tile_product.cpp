#include "civitas/simd/tile_product.hpp"

#include "support/tensor.hpp"

#include <vector>

using namespace civitas::simd;

namespace {

Word pair_of(float low, float high) {
    return c10::BFloat16(low).x | static_cast<Word>(c10::BFloat16(high).x) << 16U;
}

std::vector<Word> thirds(std::size_t count) {
    std::vector<Word> made(count);
    for (std::size_t i = 0; i < count; ++i)
        made[i] = pair_of(static_cast<float>(i * 31 % 1000) / 3 - 150,
                          static_cast<float>(i * 17 % 100) / 7);
    return made;
}

/// One product for each tap, of rows as they lie.
std::vector<float> tap_by_tap(RowTiles a, Taps taps, const Word* b, float begun, Sum sum) {
    std::vector<float> c(a.first.size() * rows_of_tile * panel, begun);
    for (std::size_t t = 0; t < a.first.size(); ++t)
        for (std::size_t i = 0; i < taps.offsets.size(); ++i)
            multiply<c10::BFloat16>(rows_of_tile, {a.first[t] + taps.offsets[i], a.row, 1},
                                    b + static_cast<std::int64_t>(i) * taps.words * panel,
                                    taps.words, c.data() + t * rows_of_tile * panel,
                                    i == 0 ? sum : Sum::goes_on);
    return c;
}

}  // namespace

TEST_CASE("products along taps are those of one tap after the other, for one tile to five") {
    if (!multiplies_tiles<c10::BFloat16>()) return;
    constexpr std::int64_t row = 48, words = 32;
    const std::vector<std::int64_t> offsets{0, row, 3 * row, 16, 2 * row};
    const Taps taps{offsets, words};
    const std::vector<Word> pixels = thirds(100 * row), weights = thirds(5 * words * panel);
    for (const std::size_t count : {1U, 2U, 3U, 5U})
        for (const Sum sum : {Sum::begins, Sum::goes_on}) {
            std::vector<const Word*> first;
            for (std::size_t t = 0; t < count; ++t) first.push_back(pixels.data() + t * 17 * row);
            const RowTiles a{first, row};
            std::vector<float> c(count * rows_of_tile * panel + 1, 5);
            multiply_taps(a, taps, weights.data(), c.data(), sum);
            INFO(count << " tiles");
            CHECK(c.back() == 5);
            c.pop_back();
            CHECK(c == tap_by_tap(a, taps, weights.data(), 5, sum));
        }
}
