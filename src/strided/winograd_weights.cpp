#include "winograd_weights.hpp"

#include "winograd_patch.hpp"

#include <algorithm>

namespace civitas::strided {
inline namespace CIVITAS_SET {
namespace {

/// The four numbers of a phase's kernel: those at w[p] and w[p+2] along each dimension, the later
/// first where the phase is one of the output (`up`).
template <class T>
struct PhaseKernel {
    const T* weight;
    std::int64_t big;
    int phase;
    bool reversed;

    void find(std::int64_t small, const T* (&numbers)[4]) const {
        for (int i = 0; i < 4; ++i) {
            const std::int64_t late_row = (i / 2) ^ (reversed ? 1 : 0);
            const std::int64_t late_column = (i % 2) ^ (reversed ? 1 : 0);
            const std::int64_t row = row_phase(phase) + 2 * late_row;
            const std::int64_t column = column_phase(phase) + 2 * late_column;
            numbers[i] = weight + ((small * kernel + row) * kernel + column) * big;
        }
    }
};

/// Asks for numbers that are read next: a processor alone does not see that coming where they lie
/// in many pages. They come as far as the second cache: numbers a multiple of 4 KB apart have few
/// places in the first one, and would drive each other out before they are read.
template <class T>
[[CIVITAS_VECTORS, gnu::always_inline]] inline void prefetch(const T* const (&numbers)[4],
                                                             std::int64_t first) {
    for (const T* number : numbers) _mm_prefetch(number + first, _MM_HINT_T1);
}

/// Sixteen rows of a panel of `down`, whose columns are channels of the small image: those are far
/// apart in the weights, which are transposed as they are, since there are more of their
/// transforms.
template <class T, int m>
[[CIVITAS_VECTORS]] void pack_down_columns(const PhaseKernel<T>& from, std::int64_t smalls,
                                           std::int64_t small, std::int64_t big, Word* to,
                                           std::int64_t point_size) {
    constexpr auto per_word = numbers_per_word<T>;
    Words words[4][lanes];
    for (std::int64_t i = 0; i < lanes; ++i) {
        const bool there = small + i < smalls;
        const T* numbers[4];
        from.find(there ? small + i : 0, numbers);
        const std::int64_t next = big + per_word * lanes;
        if (next < from.big) prefetch(numbers, next);
        for (int tap = 0; tap < 4; ++tap)
            words[tap][i] = load_words(numbers[tap] + big, there ? from.big - big : 0);
    }
    for (auto& tap : words) transpose(tap);
    for (std::int64_t k = 0; k < lanes; ++k) {
        Floats g[per_word][4];
        for (std::int64_t j = 0; j < per_word; ++j)
            for (int tap = 0; tap < 4; ++tap) g[j][tap] = number_of(words[tap][k], j, T());
        map_words<FilterMap, 2, side_of(m)>(g, to + k * panel, point_size);
    }
}

/// Sixteen rows of words of a panel of `down`.
template <class T, int m>
void pack_down_rows(const Factor<T>& factor, std::int64_t n, std::int64_t word, Word* to,
                    std::int64_t point_size) {
    const std::int64_t phase_words = factor.words() / phases;
    const int phase = static_cast<int>(word / phase_words);
    const PhaseKernel<T> from{factor.weight, factor.channels.big, phase, false};
    const std::int64_t big = word % phase_words * numbers_per_word<T>;
    for (std::int64_t half = 0; half < panel; half += lanes)
        pack_down_columns<T, m>(from, factor.channels.small, n * panel + half, big, to + half,
                                point_size);
}

/// One row of words of a panel of `up`, whose columns are channels of the big image.
template <class T, int m>
[[CIVITAS_VECTORS]] void pack_up_row(const PhaseKernel<T>& from, std::int64_t smalls,
                                     std::int64_t small, std::int64_t big, Word* to,
                                     std::int64_t point_size) {
    constexpr auto per_word = numbers_per_word<T>;
    constexpr std::int64_t ahead = 8;
    for (std::int64_t next = small + ahead; next < small + ahead + per_word; ++next) {
        if (next >= smalls || big >= from.big) break;
        const T* numbers[4];
        from.find(next, numbers);
        constexpr std::int64_t line = 64 / sizeof(T);
        for (std::int64_t i = big; i < std::min(big + panel, from.big); i += line)
            prefetch(numbers, i);
    }
    for (std::int64_t half = 0; half < panel; half += lanes) {
        Floats g[per_word][4];
        for (std::int64_t j = 0; j < per_word; ++j) {
            const bool there = small + j < smalls;
            const T* numbers[4];
            from.find(there ? small + j : 0, numbers);
            const Mask mask = there ? lanes_from(big + half, from.big) : Mask{0};
            load_pixels(numbers, big + half, mask, g[j]);
        }
        map_words<FilterMap, 2, side_of(m)>(g, to + half, point_size);
    }
}

}  // namespace

/// `down` reads along words, `up` along columns: as far as it can, since weights lie in memory that
/// way.
template <class T, int m>
void pack(const Factor<T>& factor, const Piece& piece, Word* to, std::int64_t point_size) {
    const auto [weight, channels, direction, phase] = factor;
    const auto [begin, end] = piece.words;
    if (direction == Direction::up) {
        const PhaseKernel<T> from{weight, channels.big, phase, true};
        for (std::int64_t word = begin; word < end; ++word)
            pack_up_row<T, m>(from, channels.small, word * numbers_per_word<T>, piece.panel * panel,
                              to + (word - begin) * panel, point_size);
        return;
    }
    for (std::int64_t word = begin; word < end; word += lanes)
        pack_down_rows<T, m>(factor, piece.panel, word, to + (word - begin) * panel, point_size);
}

using c10::BFloat16;
template void pack<float, 2>(const Factor<float>&, const Piece&, Word*, std::int64_t);
template void pack<float, 3>(const Factor<float>&, const Piece&, Word*, std::int64_t);
template void pack<float, 4>(const Factor<float>&, const Piece&, Word*, std::int64_t);
template void pack<BFloat16, 2>(const Factor<BFloat16>&, const Piece&, Word*, std::int64_t);
template void pack<BFloat16, 3>(const Factor<BFloat16>&, const Piece&, Word*, std::int64_t);
template void pack<BFloat16, 4>(const Factor<BFloat16>&, const Piece&, Word*, std::int64_t);

}  // namespace CIVITAS_SET
}  // namespace civitas::strided
