#pragma once
/// Images in memory, as kernels see them. Included by what nvcc compiles: without ATen.
#include <cstdint>

namespace civitas::gpu {

enum class Number { fp32, fp64, bf16 };

struct ImageSizes {
    std::int64_t images = 0, channels = 0, height = 0, width = 0;
    [[nodiscard]] std::int64_t elements() const { return images * channels * height * width; }
};

/// Elements from one of these to the next.
struct ImageStrides {
    std::int64_t image = 0, channel = 0, row = 0, column = 0;
};

/// Images of any type, wherever they lie.
struct Images {
    void* first = nullptr;
    Number type = Number::fp32;
    ImageSizes sizes;
    ImageStrides strides;
};

/// What is drawn for images, a row of doubles each: see tasks::draw_augmentations.
struct Drawn {
    const double* first = nullptr;
    std::int64_t row = 0;  ///< doubles from one row to the next
};

}  // namespace civitas::gpu
