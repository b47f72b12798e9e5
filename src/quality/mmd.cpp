#include "civitas/base/error.hpp"
#include "civitas/quality/two_sample.hpp"
#include "civitas/random/permutation.hpp"
#include "civitas/random/stream.hpp"

#include <algorithm>
#include <cmath>

namespace civitas::quality {
namespace {

/// A number for each pair of all points, of the first sample and then of the second.
class Pairs {
public:
    explicit Pairs(const Points& a, const Points& b) : n_(a.count() + b.count()), of_(n_ * n_) {
        const auto point = [&](std::size_t i) {
            return i < a.count() ? &a.values[i * a.dims] : &b.values[(i - a.count()) * a.dims];
        };
        for (std::size_t i = 0; i < n_; ++i)
            for (std::size_t j = 0; j < i; ++j) {
                double squared = 0;
                for (std::size_t d = 0; d < a.dims; ++d) {
                    const double apart = point(i)[d] - point(j)[d];
                    squared += apart * apart;
                }
                put(i, j, squared);
            }
    }
    [[nodiscard]] std::size_t points() const { return n_; }
    [[nodiscard]] double at(std::size_t i, std::size_t j) const { return of_[i * n_ + j]; }

    /// From squared distances to the kernel.
    void become_kernel() {
        const double width = median();
        for (std::size_t i = 0; i < n_; ++i)
            for (std::size_t j = 0; j < i; ++j)
                put(i, j, width > 0 ? std::exp(-at(i, j) / (2 * width)) : 1.0);
    }

private:
    void put(std::size_t i, std::size_t j, double value) {
        of_[i * n_ + j] = of_[j * n_ + i] = value;
    }
    [[nodiscard]] double median() const {
        std::vector<double> all;
        for (std::size_t i = 0; i < n_; ++i)
            for (std::size_t j = 0; j < i; ++j) all.push_back(at(i, j));
        const auto middle = all.begin() + std::ssize(all) / 2;
        std::nth_element(all.begin(), middle, all.end());
        return *middle;
    }
    std::size_t n_;
    std::vector<double> of_;
};

/// The unbiased estimate for samples of which one has the points that `first` says.
double estimate(const Pairs& kernel, const std::vector<double>& first, double count) {
    double within = 0, across = 0, all = 0;
    for (std::size_t i = 0; i < kernel.points(); ++i) {
        double row = 0, row_first = 0;
        for (std::size_t j = 0; j < kernel.points(); ++j) {
            row += kernel.at(i, j);
            row_first += kernel.at(i, j) * first[j];
        }
        all += row;
        within += first[i] * row_first;
        across += first[i] * (row - row_first);
    }
    const double others = static_cast<double>(kernel.points()) - count;
    const double other_within = all - within - 2 * across;
    return within / (count * (count - 1)) + other_within / (others * (others - 1)) -
           2 * across / (count * others);
}

}  // namespace

Mmd mmd(const Points& a, const Points& b, int permutations, Seed seed) {
    ensure(a.dims == b.dims && a.count() >= 2 && b.count() >= 2, "two points each, of one space");
    Pairs kernel(a, b);
    kernel.become_kernel();
    const auto count = static_cast<double>(a.count());
    std::vector<double> first(kernel.points());
    std::fill_n(first.begin(), a.count(), 1.0);
    const double observed = estimate(kernel, first, count);
    // The mirror image of the split observed is as far, and summed in another order.
    const double as_far_as = observed - 1e-12 * (1 + std::abs(observed));
    int as_far = 1;
    for (int k = 0; k < permutations; ++k) {
        const Permutation order(kernel.points(), RandomStream(seed, Purpose::metric,
                                                              {2, static_cast<std::uint64_t>(k)}));
        for (std::size_t i = 0; i < first.size(); ++i) first[i] = order(i) < a.count() ? 1 : 0;
        if (estimate(kernel, first, count) >= as_far_as) ++as_far;
    }
    return {observed, as_far / static_cast<double>(permutations + 1)};
}

}  // namespace civitas::quality
