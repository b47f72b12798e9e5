#pragma once
/// Images in channels-last memory, row by row, and the strips of rows that threads take.
#include "simd.hpp"

#include "civitas/base/error.hpp"

#include <ATen/core/Tensor.h>
#include <algorithm>
#include <vector>

namespace civitas::kernels {

/// Images and strips of some rows, which follow from the shape alone.
class Strips {
public:
    static constexpr std::int64_t rows = 16;  ///< of a strip at most
    explicit Strips(const at::Tensor& images)
        : height_(images.size(2)),
          per_image_(divide_up(height_, rows)),
          count_(images.size(0) * per_image_) {}
    [[nodiscard]] std::int64_t count() const { return count_; }
    [[nodiscard]] std::int64_t image(std::int64_t strip) const { return strip / per_image_; }
    [[nodiscard]] std::int64_t begin(std::int64_t strip) const { return strip % per_image_ * rows; }
    [[nodiscard]] std::int64_t end(std::int64_t strip) const {
        return std::min(begin(strip) + rows, height_);
    }

private:
    std::int64_t height_, per_image_, count_;
};

/// Images as rows in memory.
template <class T>
struct ImageRows {
    T* first;
    std::int64_t height, width, channels;
    /// Null outside the image.
    [[nodiscard]] T* row(std::int64_t image, std::int64_t y) const {
        if (y < 0 || y >= height) return nullptr;
        return first + (image * height + y) * width * channels;
    }
};
template <class T>
ImageRows<const T> rows_of(const at::Tensor& images) {
    return {images.const_data_ptr<T>(), images.size(2), images.size(3), images.size(1)};
}
template <class T>
ImageRows<T> rows_to_write(const at::Tensor& images) {
    return {images.mutable_data_ptr<T>(), images.size(2), images.size(3), images.size(1)};
}

inline void require_images(const at::Tensor& images, const at::Tensor& like) {
    ensure(images.is_contiguous(at::MemoryFormat::ChannelsLast) &&
               images.scalar_type() == like.scalar_type(),
           "images and weights are channels-last and of one type");
}
inline void require_leaf(const at::Tensor& leaf) {
    ensure(leaf.scalar_type() == at::kFloat && leaf.is_contiguous(at::MemoryFormat::ChannelsLast),
           "an fp32 leaf");
}

/// Sums of the columns of (rows, columns) in fp32, in double and in order.
inline std::vector<float> sum_rows(const at::Tensor& rows) {
    const auto* from = rows.const_data_ptr<float>();
    std::vector<double> wide(static_cast<std::size_t>(rows.size(1)));
    for (std::int64_t r = 0; r < rows.size(0); ++r)
        for (auto& sum : wide) sum += *from++;
    return {wide.begin(), wide.end()};
}

}  // namespace civitas::kernels
