#include "winograd_passes.hpp"

#include <ATen/Parallel.h>
#include <algorithm>

namespace civitas::kernels::winograd {
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

/// Sixteen rows of a panel of `down`, whose columns are channels of the small image: those are far
/// apart in the weights, so that words go through a transpose.
template <class T>
[[CIVITAS_AVX512]] void pack_down_columns(const PhaseKernel<T>& from, std::int64_t smalls,
                                          std::int64_t small, std::int64_t big, Word* to,
                                          std::int64_t point_size) {
    constexpr auto per_word = numbers_per_word<T>;
    __m512i words[points][lanes];
    for (std::int64_t i = 0; i < lanes; ++i) {
        const bool there = small + i < smalls;
        const T* numbers[4];
        from.find(there ? small + i : 0, numbers);
        __m512 s[per_word][points];
        for (std::int64_t j = 0; j < per_word; ++j) {
            const std::int64_t channel = big + j * lanes;
            const __mmask16 mask = there ? lanes_from(channel, from.big) : __mmask16{0};
            sums(numbers, mask == 0 ? 0 : channel, mask, s[j]);
        }
        for (int p = 0; p < points; ++p) {
            __m512 rows[per_word];
            for (std::int64_t j = 0; j < per_word; ++j) rows[j] = s[j][p];
            words[p][i] = words_along(rows);
        }
    }
    for (int p = 0; p < points; ++p) {
        transpose(words[p]);
        for (int k = 0; k < lanes; ++k)
            _mm512_storeu_si512(to + p * point_size + k * panel, words[p][k]);
    }
}

/// One row of words of a panel of `up`, whose columns are channels of the big image.
template <class T>
[[CIVITAS_AVX512]] void pack_up_row(const PhaseKernel<T>& from, std::int64_t smalls,
                                    std::int64_t small, std::int64_t big, Word* to,
                                    std::int64_t point_size) {
    constexpr auto per_word = numbers_per_word<T>;
    for (std::int64_t half = 0; half < panel; half += lanes) {
        __m512 s[per_word][points];
        for (std::int64_t j = 0; j < per_word; ++j) {
            const bool there = small + j < smalls;
            const T* numbers[4];
            from.find(there ? small + j : 0, numbers);
            const __mmask16 mask = there ? lanes_from(big + half, from.big) : __mmask16{0};
            sums(numbers, mask == 0 ? 0 : big + half, mask, s[j]);
        }
        for (int p = 0; p < points; ++p) {
            __m512 rows[per_word];
            for (std::int64_t j = 0; j < per_word; ++j) rows[j] = s[j][p];
            _mm512_storeu_si512(to + p * point_size + half, words_across(rows));
        }
    }
}

}  // namespace

template <class T>
void pack_down(const T* weight, Channels channels, Word* packed) {
    const Packing sizes = packing_for_down<T>(channels);
    const std::int64_t phase_words = sizes.words / phases;
    at::parallel_for(0, sizes.panels * phases, 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t item = begin; item < end; ++item) {
            const std::int64_t n = item / phases;
            const int phase = static_cast<int>(item % phases);
            const PhaseKernel<T> from{weight, channels.big, phase, false};
            for (std::int64_t k = 0; k < phase_words; k += lanes)
                for (std::int64_t half = 0; half < panel; half += lanes)
                    pack_down_columns(
                        from, channels.small, n * panel + half, k * numbers_per_word<T>,
                        packed + n * sizes.panel_size() + (phase * phase_words + k) * panel + half,
                        sizes.words * panel);
        }
    });
}

template <class T>
void pack_up(const T* weight, Channels channels, Word* packed) {
    const Packing sizes = packing_for_up<T>(channels);
    at::parallel_for(0, sizes.panels * phases, 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t item = begin; item < end; ++item) {
            const std::int64_t n = item % sizes.panels;
            const int phase = static_cast<int>(item / sizes.panels);
            const PhaseKernel<T> from{weight, channels.big, phase, true};
            for (std::int64_t k = 0; k < sizes.words; ++k)
                pack_up_row(from, channels.small, k * numbers_per_word<T>, n * panel,
                            packed + item * sizes.panel_size() + k * panel, sizes.words * panel);
        }
    });
}

template void pack_down<float>(const float*, Channels, Word*);
template void pack_down<c10::BFloat16>(const c10::BFloat16*, Channels, Word*);
template void pack_up<float>(const float*, Channels, Word*);
template void pack_up<c10::BFloat16>(const c10::BFloat16*, Channels, Word*);

}  // namespace civitas::kernels::winograd
