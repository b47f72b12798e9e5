#include "civitas/quality/evaluation.hpp"

#include "distance.hpp"
#include "pyramid.hpp"

#include "civitas/base/error.hpp"
#include "civitas/random/stream.hpp"

#include <algorithm>
#include <cmath>

namespace civitas::quality {
namespace {

constexpr std::int64_t patches_per_image = 128;
constexpr std::int64_t patch_side = 7;
constexpr std::uint64_t directions = std::uint64_t{4} * 128;

std::size_t values_per_image(const ImageSet& set) {
    return static_cast<std::size_t>(set.channels * set.pixels * set.pixels);
}

void require_whole(const ImageSet& set) {
    ensure(set.count > 0 && set.channels > 0 && set.pixels > 0, "an image set has images");
    ensure(set.values_BCHW.size() == static_cast<std::size_t>(set.count) * values_per_image(set),
           "an image set has count x channels x pixels x pixels values");
}

double grey_share(double value, LandClass of) {
    switch (of) {
        case LandClass::other: return std::clamp(-value, 0.0, 1.0);
        case LandClass::building: return std::clamp(value, 0.0, 1.0);
        case LandClass::road: break;
    }
    return 1 - std::min(std::abs(value), 1.0);
}

void require_comparable(const ImageSet& a, const ImageSet& b) {
    require_whole(a);
    require_whole(b);
    if (a.count != b.count)
        throw Error(text("cannot compare ", a.count, " images with ", b.count),
                    Hint{"the distance needs equal numbers"});
    if (a.pixels != b.pixels || a.channels != b.channels)
        throw Error(text("cannot compare images of ", a.channels, " channels, ", a.pixels,
                         " pixels with ", b.channels, " channels, ", b.pixels, " pixels"));
    if (a.pixels < 16)
        throw Error(text("images of ", a.pixels, " pixels are too small to compare"),
                    Hint{"at least 16"});
}

// All channels of all images of a set at one level of the pyramid.
std::vector<Channel> full_size(const ImageSet& set) {
    const std::int64_t area = set.pixels * set.pixels;
    std::vector<Channel> level;
    for (auto v = set.values_BCHW.begin(); v != set.values_BCHW.end(); v += area)
        level.push_back({set.pixels, {v, v + area}});
    return level;
}

// Leaves in `level` what the next smaller one cannot show, and returns that.
std::vector<Channel> split_off_smaller(std::vector<Channel>& level) {
    std::vector<Channel> smaller;
    for (Channel& image : level) {
        smaller.push_back(shrunk(image));
        const Channel coarse = enlarged(smaller.back());
        for (std::size_t i = 0; i < image.values.size(); ++i) image.values[i] -= coarse.values[i];
    }
    return smaller;
}

// One channel's part of the descriptors: (49, points). Images take the same places in both sets, so
// that equal sets have distance 0.
std::vector<float> descriptors(const std::vector<Channel>& level, int channels, int channel,
                               const RandomStream& places) {
    const auto points = static_cast<std::int64_t>(level.size()) / channels * patches_per_image;
    const auto free = static_cast<std::uint64_t>(level[0].pixels - patch_side + 1);
    std::vector<float> out(static_cast<std::size_t>(points * patch_side * patch_side));
    for (std::int64_t p = 0; p < points; ++p) {
        const Channel& image =
            level[static_cast<std::size_t>(p / patches_per_image * channels + channel)];
        const auto left = places.below(free, 2 * static_cast<std::uint64_t>(p));
        const auto top = places.below(free, 2 * static_cast<std::uint64_t>(p) + 1);
        for (std::int64_t k = 0; k < patch_side * patch_side; ++k) {
            const std::int64_t y = static_cast<std::int64_t>(top) + k / patch_side;
            const std::int64_t x = static_cast<std::int64_t>(left) + k % patch_side;
            out[static_cast<std::size_t>(k * points + p)] =
                image.values[static_cast<std::size_t>(y * image.pixels + x)];
        }
    }
    return out;
}

void centre_and_scale(std::vector<float>& values) {
    const auto n = static_cast<double>(values.size());
    double sum = 0;
    for (const float v : values) sum += v;
    const double mean = sum / n;
    double squares = 0;
    for (const float v : values) squares += (v - mean) * (v - mean);
    const double deviation = std::sqrt(squares / n);
    const double scale = deviation > 0 ? 1 / deviation : 0;
    for (float& v : values) v = static_cast<float>((v - mean) * scale);
}

Cloud cloud_of(const std::vector<Channel>& level, int channels, const RandomStream& places) {
    Cloud cloud;
    cloud.dims = channels * patch_side * patch_side;
    cloud.points = static_cast<std::int64_t>(level.size()) / channels * patches_per_image;
    for (int c = 0; c < channels; ++c) {
        auto values = descriptors(level, channels, c, places);
        centre_and_scale(values);
        cloud.values.insert(cloud.values.end(), values.begin(), values.end());
    }
    return cloud;
}

float rescaled(float v) { return (v + 1) / 2; }

}  // namespace

std::vector<LevelDistance> sliced_wasserstein_by_level(const ImageSet& a, const ImageSet& b,
                                                       Seed seed) {
    require_comparable(a, b);
    auto level_a = full_size(a);
    auto level_b = full_size(b);
    const auto sizes = pyramid_sizes(a.pixels);
    std::vector<LevelDistance> levels;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const bool last = i + 1 == sizes.size();
        auto smaller_a = last ? std::vector<Channel>{} : split_off_smaller(level_a);
        auto smaller_b = last ? std::vector<Channel>{} : split_off_smaller(level_b);
        const RandomStream places(seed, Purpose::metric, {.major = i, .minor = 0});
        const RandomStream slices(seed, Purpose::metric, {.major = i, .minor = 1});
        levels.push_back({sizes[i], 1000 * sliced_distance(cloud_of(level_a, a.channels, places),
                                                           cloud_of(level_b, b.channels, places),
                                                           directions, slices)});
        level_a = std::move(smaller_a);
        level_b = std::move(smaller_b);
    }
    return levels;
}

double mean_distance(std::span<const LevelDistance> levels) {
    double sum = 0;
    for (const LevelDistance& level : levels) sum += level.distance;
    return sum / static_cast<double>(levels.size());
}

double sliced_wasserstein(const ImageSet& a, const ImageSet& b, Seed seed) {
    return mean_distance(sliced_wasserstein_by_level(a, b, seed));
}

// The sum of |x_i - x_j| over pairs of sorted numbers counts x_i up i times and down n-1-i times.
double mean_pairwise_difference(const ImageSet& set) {
    require_whole(set);
    const std::size_t n = static_cast<std::size_t>(set.count);
    const std::size_t size = values_per_image(set);
    if (n < 2) return 0;
    std::vector<float> same_place(n);
    double sum = 0;
    for (std::size_t v = 0; v < size; ++v) {
        for (std::size_t i = 0; i < n; ++i) same_place[i] = rescaled(set.values_BCHW[i * size + v]);
        std::sort(same_place.begin(), same_place.end());
        for (std::size_t i = 0; i < n; ++i)
            sum += (2 * static_cast<double>(i) - static_cast<double>(n - 1)) * same_place[i];
    }
    const double pairs = static_cast<double>(n) * static_cast<double>(n - 1) / 2;
    return sum / pairs / static_cast<double>(size);
}

double mean_cover(const ImageSet& set, LandClass of) {
    require_whole(set);
    const bool grey = set.channels == 1;
    ensure(grey || set.channels == 3, "plans are grey, or have a channel for each class");
    const std::int64_t area = set.pixels * set.pixels,
                       channel = grey ? 0 : 2 - static_cast<std::int64_t>(of);
    double sum = 0;
    for (std::int64_t i = 0; i < set.count; ++i) {
        const float* v =
            &set.values_BCHW[static_cast<std::size_t>((i * set.channels + channel) * area)];
        for (std::int64_t k = 0; k < area; ++k) sum += grey ? grey_share(v[k], of) : rescaled(v[k]);
    }
    return sum / static_cast<double>(set.count * area);
}

}  // namespace civitas::quality
