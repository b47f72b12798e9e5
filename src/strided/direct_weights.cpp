#include "direct_weights.hpp"
#include "simd_tiles.hpp"

#include "prefetch.hpp"

#include <algorithm>

namespace civitas::strided {

template <class T>
std::int64_t TapWeights<T>::words() const {
    return row_words<c10::BFloat16>(direction_ == Direction::down ? channels_.big
                                                                  : channels_.small);
}

template <class T>
std::int64_t TapWeights<T>::panels() const {
    return divide_up(direction_ == Direction::down ? channels_.small : channels_.big, panel);
}

template <class T>
inline void TapWeights<T>::prefetch(KernelTap tap, Pair smalls, Panels panels) const {
    const std::int64_t first = panels.first * panel;
    const std::int64_t count = std::min(panels.count * panel, channels_.big - first);
    for (const std::int64_t small : {smalls.first, smalls.second})
        if (small < channels_.small) prefetch_lines(at(tap, small) + first, count);
}

/// `up` goes through all panels for each row of words: weights of neighbouring channels of the big
/// image lie beside each other, those of the small one in pages of their own, which a processor
/// does not see coming.
template <class T>
void TapWeights<T>::pack(KernelTap tap, Panels panels, Word* to, std::int64_t apart) const {
    if (direction_ == Direction::down) {
        for (std::int64_t n = 0; n < panels.count; ++n)
            pack_down(tap, (panels.first + n) * panel, to + n * apart);
        return;
    }
    constexpr std::int64_t ahead = 4;
    for (std::int64_t k = 0; k < words(); ++k) {
        prefetch(tap, pair_of<T>(k + ahead), panels);
        for (std::int64_t n = 0; n < panels.count; ++n)
            pack_up(tap, k, (panels.first + n) * panel, to + n * apart + k * panel);
    }
}

/// A panel of channels of the small image, which are far apart in the weights: words go through a
/// transpose.
template <class T>
[[CIVITAS_VECTORS]] void TapWeights<T>::pack_down(KernelTap tap, std::int64_t first,
                                                  Word* to) const {
    const std::int64_t part_size = words() * panel;
    for (std::int64_t k = 0; k < words(); k += lanes, to += lanes * panel)
        for (std::int64_t half = 0; half < panel; half += lanes) {
            PairWords<T> rows[lanes];
            for (std::int64_t i = 0; i < lanes; ++i) {
                const std::int64_t small = first + half + i;
                const bool there = small < channels_.small;
                const std::int64_t big = 2 * k;
                load_row(at(tap, there ? small : 0) + big, there ? channels_.big - big : 0,
                         rows[i]);
            }
            store_transposed(rows, to + half, panel, part_size);
        }
}

/// A row of words of a panel of channels of the big image: of two channels of the small one.
template <class T>
[[CIVITAS_VECTORS]] void TapWeights<T>::pack_up(KernelTap tap, std::int64_t word,
                                                std::int64_t first, Word* to) const {
    const auto [first_small, second_small] = pair_of<T>(word);
    const bool there = first_small < channels_.small, both = second_small < channels_.small;
    const T* const one = at(tap, there ? first_small : 0);
    const T* const other = both ? at(tap, second_small) : nullptr;
    const std::int64_t part_size = words() * panel;
    for (std::int64_t c = first; c < first + panel; c += lanes, to += lanes) {
        PairWords<T> words;
        load_pairs(one + c, other == nullptr ? other : other + c,
                   there ? lanes_from(c, channels_.big) : __mmask16{0}, words);
        store_parts(words, to, part_size);
    }
}

template class TapWeights<float>;
template class TapWeights<c10::BFloat16>;

}  // namespace civitas::strided
