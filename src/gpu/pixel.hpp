#pragma once
/// What is computed for one pixel; compiled for a GPU by nvcc, and for a CPU by the tests.
#include "images.hpp"

#include <Random123/philox.h>
#include <c10/macros/Macros.h>
#include <type_traits>

namespace civitas::gpu {

/// A channel of a pixel.
struct Place {
    std::int64_t image = 0, channel = 0, row = 0, column = 0;
};

/// The place of element number i where channels of a pixel lie side by side. Counts in 32 bits,
/// since a GPU divides by these several times as fast as by 64.
C10_HOST_DEVICE inline Place place_of(std::uint32_t i, const ImageSizes& sizes) {
    const auto next = [&i](std::int64_t size) {
        const auto of = static_cast<std::uint32_t>(size);
        const std::uint32_t place = i % of;
        i /= of;
        return std::int64_t{place};
    };
    Place place;
    place.channel = next(sizes.channels);
    place.column = next(sizes.width);
    place.row = next(sizes.height);
    place.image = i;
    return place;
}

/// Images of one type.
template <class T>
struct ImagesOf {
    T* first;
    ImageSizes sizes;
    ImageStrides strides;

    explicit ImagesOf(const Images& images)
        : first(static_cast<T*>(images.first)), sizes(images.sizes), strides(images.strides) {}

    [[nodiscard]] C10_HOST_DEVICE T& at(const Place& p) const {
        return first[p.image * strides.image + p.channel * strides.channel + p.row * strides.row +
                     p.column * strides.column];
    }
    /// Whether it lies in the image; as many pixels down and to the right as it is moved.
    [[nodiscard]] C10_HOST_DEVICE bool has(const Place& p) const {
        return p.row >= 0 && p.row < sizes.height && p.column >= 0 && p.column < sizes.width;
    }
};

/// Moved against the shift of its image, so many times.
C10_HOST_DEVICE inline Place moved(Place place, const Drawn& drawn, int times) {
    const double* const row = drawn.first + place.image * drawn.row;
    place.row += times * static_cast<std::int64_t>(row[0]);
    place.column += times * static_cast<std::int64_t>(row[1]);
    return place;
}

/// Number i of RandomStream::fast_normals, of the stream of an image.
C10_HOST_DEVICE inline float fast_normal(const double* words, std::uint64_t i) {
    const auto word = [words](int number) { return static_cast<std::uint32_t>(words[number]); };
    const std::uint64_t counter = i / 4;
    const r123::Philox4x32::ctr_type c{{static_cast<std::uint32_t>(counter),
                                        static_cast<std::uint32_t>(counter >> 32), word(2),
                                        word(3)}};
    const r123::Philox4x32::key_type k{{word(0), word(1)}};
    const std::uint32_t w = r123::Philox4x32{}(c, k)[static_cast<std::size_t>(i % 4)];
    const std::uint32_t sum = (w & 255) + ((w >> 8) & 255) + ((w >> 16) & 255) + (w >> 24);
    constexpr float mean = 4 * 127.5F;
    constexpr float scale = 0x1.bb688ep-8F;  // 1 over the deviation of the sum
    return (static_cast<float>(sum) - mean) * scale;
}

/// y of a pixel: the x that has been moved there, -1 where none has, and noise.
template <class From, class To>
struct AugmentPixel {
    using Working = std::conditional_t<std::is_same_v<To, double>, double, float>;

    ImagesOf<const From> x;
    ImagesOf<To> y;
    Drawn drawn;
    Working noise;  ///< sigma

    C10_HOST_DEVICE void operator()(std::int64_t i) const {
        constexpr int words = 2;
        const Place to = place_of(static_cast<std::uint32_t>(i), y.sizes);
        const Place from = moved(to, drawn, -1);
        Working value = x.has(from) ? static_cast<Working>(x.at(from)) : Working{-1};
        const std::int64_t number =
            (to.channel * y.sizes.height + to.row) * y.sizes.width + to.column;
        if (noise > 0)
            value += noise * fast_normal(drawn.first + to.image * drawn.row + words,
                                         static_cast<std::uint64_t>(number));
        y.at(to) = static_cast<To>(value);
    }
};

/// The gradient of a pixel of x: that of y where it has been moved to, 0 where it has been moved
/// out of the image.
template <class T>
struct AugmentBackwardPixel {
    ImagesOf<const T> g;
    ImagesOf<T> gx;
    Drawn drawn;

    C10_HOST_DEVICE void operator()(std::int64_t i) const {
        const Place of_x = place_of(static_cast<std::uint32_t>(i), gx.sizes);
        const Place of_y = moved(of_x, drawn, 1);
        gx.at(of_x) = g.has(of_y) ? g.at(of_y) : T(0);
    }
};

}  // namespace civitas::gpu
