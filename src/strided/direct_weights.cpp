#include "direct_weights.hpp"

namespace civitas::strided {

using c10::BFloat16;

std::int64_t TapWeights::words() const {
    return row_words<BFloat16>(direction_ == Direction::down ? channels_.big : channels_.small);
}

std::int64_t TapWeights::panels() const {
    return divide_up(direction_ == Direction::down ? channels_.small : channels_.big, panel);
}

/// `up` goes through all panels for each row of words: weights of neighbouring channels of the big
/// image lie beside each other, those of the small one in pages of their own.
void TapWeights::pack(KernelTap tap, Panels panels, Word* to, std::int64_t apart) const {
    if (direction_ == Direction::down) {
        for (std::int64_t n = 0; n < panels.count; ++n)
            pack_down(tap, (panels.first + n) * panel, to + n * apart);
        return;
    }
    for (std::int64_t k = 0; k < words(); ++k)
        for (std::int64_t n = 0; n < panels.count; ++n)
            pack_up(tap, k, (panels.first + n) * panel, to + n * apart + k * panel);
}

/// A panel of channels of the small image, which are far apart in the weights: words go through a
/// transpose.
[[CIVITAS_AVX512]] void TapWeights::pack_down(KernelTap tap, std::int64_t first, Word* to) const {
    for (std::int64_t k = 0; k < words(); k += lanes, to += lanes * panel)
        for (std::int64_t half = 0; half < panel; half += lanes) {
            __m512i rows[lanes];
            for (std::int64_t i = 0; i < lanes; ++i) {
                const std::int64_t small = first + half + i;
                const bool there = small < channels_.small;
                const std::int64_t big = k * numbers_per_word<BFloat16>;
                rows[i] = there ? load_words(at(tap, small) + big, channels_.big - big)
                                : _mm512_setzero_si512();
            }
            transpose(rows);
            for (std::int64_t i = 0; i < lanes; ++i)
                _mm512_storeu_si512(to + i * panel + half, rows[i]);
        }
}

/// A row of words of a panel of channels of the big image: of two channels of the small one.
[[CIVITAS_AVX512]] void TapWeights::pack_up(KernelTap tap, std::int64_t pair, std::int64_t first,
                                            Word* to) const {
    const std::int64_t small = pair * numbers_per_word<BFloat16>;
    const BFloat16* const even = at(tap, small);
    const BFloat16* const odd = small + 1 < channels_.small ? at(tap, small + 1) : nullptr;
    for (std::int64_t c = first; c < first + panel; c += lanes, to += lanes) {
        const __mmask16 there = small < channels_.small ? lanes_from(c, channels_.big) : 0;
        _mm512_storeu_si512(to, words_at(even + c, odd == nullptr ? odd : odd + c, there));
    }
}

}  // namespace civitas::strided
