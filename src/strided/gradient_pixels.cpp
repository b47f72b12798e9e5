#include "gradient_pixels.hpp"
#include "simd_tiles.hpp"

#include "prefetch.hpp"

#include <ATen/Parallel.h>
#include <algorithm>

namespace civitas::strided {

template <class T>
GradientPixels<T>::GradientPixels(Image<const T> big, Image<const T> small)
    : big_(big),
      small_(small),
      zeros_(static_cast<std::size_t>(round_up(std::max(big.channels, small.channels), panel))),
      order_(small.batch, small.extent()) {}

template <class T>
GradientChunk GradientPixels<T>::chunk_of(Range rows) const {
    GradientChunk made{rows, {}, {}, 0, 0, nullptr};
    for (std::int64_t row = rows.begin; row < rows.end; ++row) {
        if (!order_.has_pixels(row)) continue;
        made.with_pixels.push_back(row);
        for (std::int64_t word = 0; word < order_.words(); word += lanes, made.words += lanes)
            made.steps.push_back(
                {made.words, (row - rows.begin) * row_size() + word * pixel_words});
    }
    made.stride = row_stride(parts * made.words);
    return made;
}

/// The first pixel of a row, or null where there is none.
template <class T>
const T* GradientPixels<T>::row_of(const Image<const T>& image, std::int64_t batch,
                                   std::int64_t y) {
    const bool inside = batch < image.batch && y >= 0 && y < image.height;
    return inside ? image.pixel(batch, y, 0) : nullptr;
}
/// A pixel's channels, or zeros.
template <class T>
const T* GradientPixels<T>::pixel(const Image<const T>& image, const T* row, std::int64_t x) const {
    const bool inside = row != nullptr && x >= 0 && x < image.width;
    return inside ? row + x * image.channels : zeros_.data();
}

template <class T>
void GradientPixels<T>::pack_small(const std::vector<GradientChunk>& chunks) const {
    struct Column {
        const GradientChunk& chunk;
        std::int64_t word;
    };
    std::vector<Column> columns;
    for (const GradientChunk& chunk : chunks)
        for (std::int64_t word = 0; word < chunk.words; word += lanes)
            columns.push_back({chunk, word});
    constexpr std::int64_t some = 4 * lanes;
    const std::int64_t count = std::ssize(columns);
    const std::int64_t all = count * divide_up(small_.channels, some);
    at::parallel_for(0, all, 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            const std::int64_t channel = i / count * some;
            const Column& column = columns[static_cast<std::size_t>(i % count)];
            pack_words(column.chunk, column.word,
                       {channel, std::min(channel + some, small_.channels)});
        }
    });
}

/// Sixteen words of some channels.
template <class T>
void GradientPixels<T>::pack_words(const GradientChunk& chunk, std::int64_t word,
                                   Range channels) const {
    const std::int64_t row = chunk.with_pixels[static_cast<std::size_t>(word / order_.words())];
    const std::int64_t place = word % order_.words();
    std::int64_t column = place / order_.pairs(), pair = place % order_.pairs();
    const T* pixels[lanes][2];
    for (auto& both : pixels) {
        for (std::int64_t second = 0; second < 2; ++second) {
            const auto [image, y] = order_.at(pair + second * order_.pairs(), row);
            both[second] = pixel(small_, row_of(small_, image, y), column);
        }
        if (++pair < order_.pairs()) continue;
        pair = 0;
        ++column;
    }
    put_column(pixels, channels, chunk, chunk.left + word);
}

template <class T>
[[CIVITAS_VECTORS]] void GradientPixels<T>::put_column(const T* const (&pixels)[lanes][2],
                                                       Range channels, const GradientChunk& chunk,
                                                       Word* to) const {
    for (std::int64_t c = channels.begin; c < channels.end; c += lanes) {
        PairWords<T> rows[lanes];
        for (std::int64_t i = 0; i < lanes; ++i)
            load_pairs(pixels[i][0] + c, pixels[i][1] + c, lanes_from(c, channels.end), rows[i]);
        store_transposed(rows, to + c * chunk.stride, chunk.stride, chunk.words);
    }
}

template <class T>
[[CIVITAS_VECTORS, gnu::always_inline]] inline void GradientPixels<T>::put_pixel(
    const T* const (&pixels)[2], std::int64_t channel, Word* to) const {
    for (std::int64_t half = 0; half < panel; half += lanes) {
        const __mmask16 there = lanes_from(channel + half, big_.channels);
        const std::int64_t c = there == 0 ? 0 : channel + half;
        PairWords<T> words;
        load_pairs(pixels[0] + c, pixels[1] + c, there, words);
        store_parts(words, to + half, panel);
    }
}

template <class T>
[[CIVITAS_VECTORS]] void GradientPixels<T>::pack_row(int phase, std::int64_t row,
                                                     std::int64_t channel, Word* to) const {
    constexpr std::int64_t ahead = 8;  // pixels
    const Grid grid = phase_grid(phase);
    for (std::int64_t pair = 0; pair < order_.pairs(); ++pair) {
        const T* from[2];
        for (std::int64_t i = 0; i < 2; ++i) {
            const auto [image, y] = order_.at(pair + i * order_.pairs(), row);
            from[i] = row_of(big_, image, grid.row + grid.step * y);
        }
        std::int64_t x = grid.column;
        for (std::int64_t place = pair; place < row_places();
             place += order_.pairs(), x += grid.step) {
            const T* const pixels[2] = {pixel(big_, from[0], x), pixel(big_, from[1], x)};
            for (const T* one : pixels)  // of each pixel a part is read
                prefetch_lines(one + grid.step * ahead * big_.channels + channel, panel);
            put_pixel(pixels, channel, to + place * pixel_words);
        }
    }
}

template <class T>
void GradientPixels<T>::pack_big(Range rows, std::int64_t channel, Word* to) const {
    for (int phase = 0; phase < phases; ++phase)
        for (std::int64_t row = rows.begin; row <= rows.end; ++row, to += row_size())
            pack_row(phase, row, channel, to);
}

template class GradientPixels<float>;
template class GradientPixels<c10::BFloat16>;

}  // namespace civitas::strided
