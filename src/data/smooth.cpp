#include "civitas/data/smooth.hpp"

#include <algorithm>
#include <utility>

namespace civitas::data {
namespace {

/// Values that lie `stride` apart.
struct Line {
    float* first;
    std::int64_t count;
    std::int64_t stride;
};

/// In place.
void filter(Line line) {
    float before = *line.first, here = before;
    for (std::int64_t i = 0; i < line.count; ++i) {
        float& value = line.first[i * line.stride];
        const float after = line.first[std::min(i + 1, line.count - 1) * line.stride];
        value = (before + 2 * here + after) / 4;
        before = std::exchange(here, after);
    }
}

}  // namespace

at::Tensor smoothed(const at::Tensor& image_CHW, Coding coding, std::int64_t pixels_of_tile) {
    at::Tensor image = image_CHW.detach()
                           .to(at::kCPU, at::kFloat)
                           .contiguous()
                           .clone(at::MemoryFormat::Contiguous);
    if (coding != Coding::colour) return image;
    const std::int64_t height = image.size(1), width = image.size(2);
    float* const values = image.mutable_data_ptr<float>();
    for (std::int64_t pass = 0; pass < smoothing_passes(pixels_of_tile); ++pass)
        for (std::int64_t channel = 0; channel < image.size(0); ++channel) {
            float* const plane = values + channel * height * width;
            for (std::int64_t y = 0; y < height; ++y) filter({plane + y * width, width, 1});
            for (std::int64_t x = 0; x < width; ++x) filter({plane + x, height, width});
        }
    return image;
}

}  // namespace civitas::data
