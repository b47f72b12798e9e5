#pragma once
/// Moments of a group's values from those of its ranks, per channel.
#include "civitas/comm/collectives.hpp"

#include <vector>

namespace civitas::nn {

/// Number of values per channel, their mean, and the sum of squared differences from it.
struct Moments {
    double count = 0;
    std::vector<double> mean;
    std::vector<double> squares;
};

/// Moments of both sets of values together (Chan, Golub & LeVeque 1979).
[[nodiscard]] Moments combine(const Moments& a, const Moments& b);

/// Those of all ranks, combined in tree order. Collective.
[[nodiscard]] Moments combined_over(const comm::MpiCollectives& ranks, const Moments& mine);

/// Sums over all ranks of each element, in tree order. Collective.
[[nodiscard]] std::vector<double> sums_over(const comm::MpiCollectives& ranks,
                                            const std::vector<double>& mine);

}  // namespace civitas::nn
