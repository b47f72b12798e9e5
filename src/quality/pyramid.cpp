#include "pyramid.hpp"

#include <array>

namespace civitas::quality {
namespace {

constexpr std::array<float, 5> binomial{1 / 16.0F, 4 / 16.0F, 6 / 16.0F, 4 / 16.0F, 1 / 16.0F};

// ... c b | a b c ... x y z | y x ...
std::int64_t reflected(std::int64_t i, std::int64_t size) {
    if (i < 0) return -i;
    return i < size ? i : 2 * (size - 1) - i;
}

// Rows filtered along x; the transpose is returned, so that filtering twice does both directions.
template <class Filter>
Channel both_ways(const Channel& image, std::int64_t size_after, Filter&& filter) {
    Channel across{size_after, {}};
    const auto n = static_cast<std::size_t>(image.pixels);
    const auto m = static_cast<std::size_t>(size_after);
    std::vector<float> half(m * n);
    for (std::size_t y = 0; y < n; ++y)
        for (std::size_t x = 0; x < m; ++x)
            half[x * n + y] = filter(&image.values[y * n], static_cast<std::int64_t>(x));
    across.values.resize(m * m);
    for (std::size_t x = 0; x < m; ++x)
        for (std::size_t y = 0; y < m; ++y)
            across.values[y * m + x] = filter(&half[x * n], static_cast<std::int64_t>(y));
    return across;
}

}  // namespace

Channel shrunk(const Channel& image) {
    const std::int64_t n = image.pixels;
    return both_ways(image, n / 2, [n](const float* row, std::int64_t i) {
        float sum = 0;
        for (std::int64_t k = 0; k < 5; ++k)
            sum += binomial[static_cast<std::size_t>(k)] * row[reflected(2 * i + k - 2, n)];
        return sum;
    });
}

Channel enlarged(const Channel& image) {
    const std::int64_t n = 2 * image.pixels;
    return both_ways(image, n, [n](const float* row, std::int64_t i) {
        float sum = 0;
        for (std::int64_t k = 0; k < 5; ++k) {
            const std::int64_t from = reflected(i + k - 2, n);
            if (from % 2 == 0) sum += 2 * binomial[static_cast<std::size_t>(k)] * row[from / 2];
        }
        return sum;
    });
}

std::vector<std::int64_t> pyramid_sizes(std::int64_t pixels) {
    constexpr std::int64_t smallest = 16;
    std::vector<std::int64_t> sizes{pixels};
    while (sizes.back() % 2 == 0 && sizes.back() / 2 >= smallest) sizes.push_back(sizes.back() / 2);
    return sizes;
}

}  // namespace civitas::quality
