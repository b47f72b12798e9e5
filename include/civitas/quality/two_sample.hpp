#pragma once
/// How far apart two samples are: distances of distributions and a test.
#include "civitas/base/numbers.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace civitas::quality {

/// The two-sample Kolmogorov-Smirnov statistic, the largest difference of the empirical
/// distribution functions: 0 to 1. Values that are equal but for rounding count as equal. NaN where
/// a sample is empty.
[[nodiscard]] double kolmogorov_smirnov(std::vector<double> a, std::vector<double> b);

/// The 1-D Wasserstein distance: the area between the empirical distribution functions, in the unit
/// of the values. The samples may differ in size. NaN where one is empty.
[[nodiscard]] double wasserstein(std::vector<double> a, std::vector<double> b);

/// The kernel two-sample test.
struct Mmd {
    double squared = 0;  ///< unbiased, so that it may be below 0
    double p = 1;        ///< share of permutations that are as far apart, this one included
};

/// Points, one after the other, all of `dims` numbers.
struct Points {
    std::size_t dims = 0;
    std::vector<double> values;
    [[nodiscard]] std::size_t count() const { return dims == 0 ? 0 : values.size() / dims; }
};

/// Squared maximum mean discrepancy, the unbiased estimate of Gretton et al. (JMLR 13, 2012, eq. 3)
/// with a Gaussian kernel exp(-d^2 / (2 s^2)), s the median distance of two of all points, and the
/// share of `permutations` of the points' membership that come as far, drawn by formula.
/// Precondition: at least 2 points each, of the same dims.
[[nodiscard]] Mmd mmd(const Points& a, const Points& b, int permutations, Seed seed);

}  // namespace civitas::quality
