#pragma once
/// Plans without a training: random fields, blurred and cut at two heights, look much like what a
/// young generator draws, and cost next to nothing.
#include "preprocess/vectorize/raster.hpp"

#include <algorithm>
#include <random>
#include <vector>

namespace civitas::test {

/// Mean over windows of 2 x radius + 1 pixels along one direction of a periodic square.
inline std::vector<double> box_blurred(const std::vector<double>& field, int side, int radius,
                                       bool along_rows) {
    std::vector<double> blurred(field.size());
    for (int a = 0; a < side; ++a) {
        for (int b = 0; b < side; ++b) {
            double sum = 0;
            for (int d = -radius; d <= radius; ++d) {
                const int c = (b + d + side) % side;
                sum += field[static_cast<std::size_t>(along_rows ? a * side + c : c * side + a)];
            }
            blurred[static_cast<std::size_t>(along_rows ? a * side + b : b * side + a)] = sum;
        }
    }
    return blurred;
}

inline std::vector<double> smooth_field(int side, int radius, std::mt19937& random) {
    std::normal_distribution<double> normal;
    std::vector<double> field(static_cast<std::size_t>(side) * static_cast<std::size_t>(side));
    for (auto& value : field) value = normal(random);
    for (int round = 0; round < 2; ++round) {
        for (const bool rows : {true, false}) field = box_blurred(field, side, radius, rows);
    }
    return field;
}

/// The value that `share` of the field's lie below.
inline double quantile(std::vector<double> field, double share) {
    const auto at =
        field.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(field.size() - 1));
    std::nth_element(field.begin(), at, field.end());
    return *at;
}

/// Roads along the zeros of one field, buildings on the hills of another. Equal seeds, equal plans.
inline vectorize::ClassRaster plan_from_fields(int side, unsigned seed) {
    std::mt19937 random(seed);
    auto roads = smooth_field(side, side / 8, random);
    for (auto& value : roads) value = std::abs(value);
    const auto hills = smooth_field(side, 3 + static_cast<int>(seed % 3), random);
    const double road = quantile(roads, 0.1 + 0.02 * (seed % 6));
    const double building = quantile(hills, 0.75 + 0.03 * (seed % 6));
    vectorize::ClassRaster raster{side, {}};
    for (std::size_t i = 0; i < hills.size(); ++i) {
        raster.classes.push_back(roads[i] < road       ? vectorize::kRoad
                                 : hills[i] > building ? vectorize::kBuilding
                                                       : vectorize::kOther);
    }
    return raster;
}

}  // namespace civitas::test
