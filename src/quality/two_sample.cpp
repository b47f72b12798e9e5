#include "civitas/quality/two_sample.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace civitas::quality {
namespace {

/// Values that differ by less, relatively, are the same: what is computed from other numbers in
/// another order.
constexpr double rounding = 1e-12;

/// Calls visit(from, to, difference) for each stretch between two values in which the empirical
/// distribution functions differ by the same, in ascending order.
template <class Visit>
void each_stretch(std::vector<double>& a, std::vector<double>& b, Visit&& visit) {
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    std::size_t i = 0, j = 0;
    double from = std::min(a.front(), b.front());
    while (i < a.size() || j < b.size()) {
        const double to = std::min(i < a.size() ? a[i] : b[j], j < b.size() ? b[j] : a[i]);
        visit(from, to,
              std::abs(static_cast<double>(i) / static_cast<double>(a.size()) -
                       static_cast<double>(j) / static_cast<double>(b.size())));
        const double alike = to + rounding * std::abs(to);
        while (i < a.size() && a[i] <= alike) ++i;
        while (j < b.size() && b[j] <= alike) ++j;
        from = to;
    }
}

}  // namespace

double kolmogorov_smirnov(std::vector<double> a, std::vector<double> b) {
    if (a.empty() || b.empty()) return std::numeric_limits<double>::quiet_NaN();
    double largest = 0;
    each_stretch(
        a, b, [&](double, double, double difference) { largest = std::max(largest, difference); });
    return largest;
}

double wasserstein(std::vector<double> a, std::vector<double> b) {
    if (a.empty() || b.empty()) return std::numeric_limits<double>::quiet_NaN();
    double area = 0;
    each_stretch(
        a, b, [&](double from, double to, double difference) { area += difference * (to - from); });
    return area;
}

}  // namespace civitas::quality
