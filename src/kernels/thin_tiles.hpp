#pragma once
/// The gradient of thin convolutions' weights as products of some rows at once, for tiles.
#include "image_strips.hpp"

#include <vector>

namespace civitas::kernels::thin {

/// The gradient of the weights.
template <class T>
class TiledGradient {
public:
    TiledGradient(ImageRows<const T> small, ImageRows<const T> big);
    /// Overwrites gradient[channel][tap][c] by what rows begin to end give.
    void compute(std::int64_t image, std::int64_t begin, std::int64_t end, float* gradient);

private:
    struct Rows {
        std::int64_t image, begin, count;
    };
    void pack_patches_of(const Rows& rows);
    void pack_small(const Rows& rows, std::int64_t words);
    [[nodiscard]] const T* pixel(const Rows& rows, std::int64_t word, std::int64_t number) const;

    ImageRows<const T> small_, big_;
    std::int64_t row_words_;     ///< of a row of the small image
    std::int64_t rows_;          ///< that are multiplied at once
    std::int64_t words_;         ///< of these, and zeros that make whole tiles
    std::vector<T> zeros_;       ///< a pixel of the small image
    std::vector<Word> pixels_;   ///< (channel, word)
    std::vector<Word> patches_;  ///< (panel of taps, word, tap)
    std::vector<float> sums_;    ///< (panel of taps, channel, tap)
};

}  // namespace civitas::kernels::thin
