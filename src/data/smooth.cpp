#include "civitas/data/smooth.hpp"

#include "plain_image.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace civitas::data {
namespace {

struct Plane {
    float* values;
    std::int64_t height, width;

    [[nodiscard]] float* row(std::int64_t y) const { return values + y * width; }
};

void filter_across(Plane plane) {
    for (std::int64_t y = 0; y < plane.height; ++y) {
        float* const row = plane.row(y);
        float before = row[0];
        for (std::int64_t x = 0; x < plane.width; ++x) {
            const float here = row[x], after = row[std::min(x + 1, plane.width - 1)];
            row[x] = (before + 2 * here + after) / 4;
            before = here;
        }
    }
}

/// Row by row, as they lie in memory.
void filter_down(Plane plane) {
    std::vector<float> before(plane.row(0), plane.row(1)), here = before;
    for (std::int64_t y = 0; y < plane.height; ++y) {
        float* const row = plane.row(y);
        const float* const after = plane.row(std::min(y + 1, plane.height - 1));
        std::copy_n(row, plane.width, here.begin());
        for (std::int64_t x = 0; x < plane.width; ++x) {
            const auto i = static_cast<std::size_t>(x);
            row[x] = (before[i] + 2 * here[i] + after[x]) / 4;
        }
        std::swap(before, here);
    }
}

}  // namespace

at::Tensor smoothed(const at::Tensor& image_CHW, Coding coding, std::int64_t pixels_of_tile) {
    const std::int64_t passes = smoothing_passes(pixels_of_tile);
    if (coding != Coding::colour || passes == 0) return plain(image_CHW);
    at::Tensor image = plain(image_CHW).clone();
    const std::int64_t height = image.size(1), width = image.size(2);
    float* const values = image.mutable_data_ptr<float>();
    for (std::int64_t pass = 0; pass < passes; ++pass)
        for (std::int64_t channel = 0; channel < image.size(0); ++channel) {
            const Plane plane{values + channel * height * width, height, width};
            filter_across(plane);
            filter_down(plane);
        }
    return image;
}

}  // namespace civitas::data
