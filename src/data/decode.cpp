#include "plain_image.hpp"

#include "civitas/base/error.hpp"
#include "civitas/data/coding.hpp"
#include "civitas/data/one_thread.hpp"
#include "civitas/data/tile_store.hpp"

#include <ATen/ops/upsample_bilinear2d.h>
#include <algorithm>
#include <cmath>

namespace civitas::data {
namespace {

constexpr std::uint8_t other_class = 0, road_class = 1, building_class = 2;
static_assert(building_class == static_cast<std::uint8_t>(LandClass::building));

/// Shares of one pixel, by LandClass: a channel's -1..1 as 0..1, or, of a grey value, how far it
/// is from road (0) to building (1) or to other (-1).
std::array<double, 3> shares(const float* pixel, std::int64_t plane, Coding coding) {
    const double first = pixel[0];
    if (coding == Coding::grey)
        return {std::clamp(-first, 0.0, 1.0), 1 - std::min(std::abs(first), 1.0),
                std::clamp(first, 0.0, 1.0)};
    return {(pixel[2 * plane] + 1.0) / 2, (pixel[plane] + 1.0) / 2, (first + 1) / 2};
}

/// The strongest class; of equal ones the least built.
std::uint8_t strongest(const float* pixel, std::int64_t plane, Coding coding) {
    if (coding == Coding::grey)
        return pixel[0] > 0.5F ? building_class : pixel[0] < -0.5F ? other_class : road_class;
    std::uint8_t best = other_class;
    float value = pixel[2 * plane];
    if (pixel[plane] > value) {
        best = road_class;
        value = pixel[plane];
    }
    return pixel[0] > value ? building_class : best;
}

void require_plan(const at::Tensor& image_CHW, Coding coding, std::int64_t pixels) {
    ensure(image_CHW.dim() == 3 && image_CHW.size(0) == channels_of(coding) && pixels > 0,
           "a plan has the channels of its coding");
    ensure(coding != Coding::rgb, "an image has no classes");
}

at::Tensor enlarged(const at::Tensor& small, std::int64_t pixels) {
    if (small.size(1) == pixels && small.size(2) == pixels) return small;
    const std::array<std::int64_t, 2> side{pixels, pixels};
    const OneThread alone;
    return at::upsample_bilinear2d(small.unsqueeze(0), side, false).squeeze(0).contiguous();
}

std::vector<std::uint8_t> strongest_of(const at::Tensor& image_CHW, Coding coding) {
    const std::int64_t plane = image_CHW.size(1) * image_CHW.size(2);
    const float* values = image_CHW.const_data_ptr<float>();
    std::vector<std::uint8_t> classes(static_cast<std::size_t>(plane));
    for (std::int64_t i = 0; i < plane; ++i)
        classes[static_cast<std::size_t>(i)] = strongest(values + i, plane, coding);
    return classes;
}

/// A square without so many pixels on each side.
at::Tensor inner(const at::Tensor& image_CHW, std::int64_t edge) {
    const std::int64_t side = image_CHW.size(1) - 2 * edge;
    return image_CHW.narrow(1, edge, side).narrow(2, edge, side).contiguous();
}

}  // namespace

std::array<float, 3> cover_of(const at::Tensor& image_CHW, Coding coding) {
    const at::Tensor image = plain(image_CHW);
    const std::int64_t plane = image.size(1) * image.size(2);
    const float* values = image.const_data_ptr<float>();
    std::array<double, 3> sums{};
    for (std::int64_t i = 0; i < plane; ++i) {
        const auto s = shares(values + i, plane, coding);
        for (std::size_t c = 0; c < s.size(); ++c) sums.at(c) += s.at(c);
    }
    std::array<float, 3> means{};
    for (std::size_t c = 0; c < means.size(); ++c)
        means.at(c) = static_cast<float>(sums.at(c) / static_cast<double>(plane));
    return means;
}

std::vector<std::uint8_t> classes_of(const at::Tensor& image_CHW, Coding coding,
                                     std::int64_t pixels) {
    require_plan(image_CHW, coding, pixels);
    return strongest_of(enlarged(plain(image_CHW), pixels), coding);
}

Decoded decode(const at::Tensor& image_CHW, Coding coding, std::int64_t pixels) {
    return {classes_of(image_CHW, coding, pixels), cover_of(image_CHW, coding)};
}

Decoded decode_part(const at::Tensor& image_CHW, Coding coding, std::int64_t pixels) {
    require_plan(image_CHW, coding, pixels);
    const std::int64_t side = image_CHW.size(1) - 2,
                       factor = pixels / std::max<std::int64_t>(side, 1);
    ensure(side > 0 && image_CHW.size(2) == side + 2 && pixels == factor * side,
           "a part has an edge of one pixel, and is enlarged by a whole number");
    const at::Tensor small = plain(image_CHW);
    return {strongest_of(inner(enlarged(small, factor * (side + 2)), factor), coding),
            cover_of(inner(small, 1), coding)};
}

}  // namespace civitas::data
