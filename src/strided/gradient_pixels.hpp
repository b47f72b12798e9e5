#pragma once
/// Pixels of images as the factors of gradients of weights.
#include "gradient_order.hpp"
#include "simd_tiles.hpp"

#include <vector>

namespace civitas::strided {

/// Rows that are multiplied at once, and the small image's pixels of these: a row for each channel,
/// along which pixels lie, part after part.
struct GradientChunk {
    Range rows;
    std::vector<simd::TileStep> steps;      ///< of a tap
    std::vector<std::int64_t> with_pixels;  ///< rows
    std::int64_t words;                     ///< of a channel and a part
    std::int64_t stride;                    ///< words from channel to channel
    Word* left;
};

/// Packs pixels in a GradientOrder, zeros where there are none.
template <class T>
class GradientPixels {
public:
    static constexpr std::int64_t pixel_words = bf16_parts<T> * panel;  ///< of the big image

    GradientPixels(Image<const T> big, Image<const T> small);

    [[nodiscard]] std::int64_t rows() const { return order_.rows(); }
    /// Words of a row of a phase of the big image, which has a column more than the small one.
    [[nodiscard]] std::int64_t row_size() const { return row_places() * pixel_words; }
    /// Words of so many rows of a phase, and of one more.
    [[nodiscard]] std::int64_t phase_size(std::int64_t rows) const {
        return (rows + 1) * row_size();
    }
    /// Where the pixels begin that a tap meets, of so many packed rows.
    [[nodiscard]] std::int64_t tap(KernelTap tap, std::int64_t rows) const {
        return (tap.row % 2 * 2 + tap.column % 2) * phase_size(rows) + tap.row / 2 * row_size() +
               tap.column / 2 * order_.pairs() * pixel_words;
    }

    /// Without memory for pixels.
    [[nodiscard]] GradientChunk chunk_of(Range rows) const;
    /// Words of the pixels of a chunk: for each channel of the small image, whole vectors of them.
    [[nodiscard]] std::int64_t size_of(const GradientChunk& chunk) const {
        return round_up(small_.channels, lanes) * chunk.stride;
    }
    void pack_small(const std::vector<GradientChunk>& chunks) const;
    /// A panel of channels of all phases of the big image.
    void pack_big(Range rows, std::int64_t channel, Word* to) const;

private:
    static constexpr std::int64_t parts = bf16_parts<T>;

    [[nodiscard]] std::int64_t row_places() const { return order_.words() + order_.pairs(); }
    static const T* row_of(const Image<const T>& image, std::int64_t batch, std::int64_t y);
    const T* pixel(const Image<const T>& image, const T* row, std::int64_t x) const;
    void pack_words(const GradientChunk& chunk, std::int64_t word, Range channels) const;
    void put_column(const T* const (&pixels)[lanes][2], Range channels, const GradientChunk& chunk,
                    Word* to) const;
    void pack_row(int phase, std::int64_t row, std::int64_t channel, Word* to) const;
    void put_pixel(const T* const (&pixels)[2], std::int64_t channel, Word* to) const;

    Image<const T> big_, small_;
    std::vector<T> zeros_;
    GradientOrder order_;
};

}  // namespace civitas::strided
