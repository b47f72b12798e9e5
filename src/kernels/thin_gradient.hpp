#pragma once
/// The gradient of thin convolutions' weights, as products of some rows at once.
#include "image_strips.hpp"

#include <vector>

namespace civitas::kernels::thin {
inline namespace CIVITAS_SET {

/// Computes in memory of its own, so each thread has one.
template <class T>
class StripGradient {
public:
    StripGradient(ImageRows<const T> small, ImageRows<const T> big);
    /// Overwrites gradient[channel][tap][c] by the sum over rows of a strip, begin to end - 1.
    void compute(std::int64_t image, std::int64_t begin, std::int64_t end, float* gradient);

private:
    /// Rows of the small image that are multiplied at once.
    struct Chunk {
        std::int64_t image, begin, count;
        std::int64_t words;  ///< filled up to whole tiles
    };
    void pack_patches_of(const Chunk& chunk);
    void pack_small(const Chunk& chunk);
    [[nodiscard]] const T* pixel(const Chunk& chunk, std::int64_t word, std::int64_t number) const;

    ImageRows<const T> small_, big_;
    std::int64_t row_words_;     ///< words of a row of the small image
    std::int64_t rows_;          ///< rows of a chunk at most
    std::int64_t words_;         ///< words of so many rows, filled up to whole tiles
    std::vector<T> zeros_;       ///< what a pixel beside the small image has
    std::vector<Word> pixels_;   ///< (channel, word)
    std::vector<Word> patches_;  ///< (panel of taps, word, tap)
    std::vector<float> sums_;    ///< (panel of taps, channel, tap)
};

}  // namespace CIVITAS_SET
}  // namespace civitas::kernels::thin
