#pragma once
/// Arrays that layers have: parameters, which are trained, and running statistics.
#include "civitas/base/numbers.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace civitas::net {

enum class Initializer { normal_around_zero, normal_around_one, zero, one };

/// Where a part lies in its logical array: `begin` of `total` along one dim, whole along the
/// others.
struct ArraySlice {
    std::size_t dim = 0;
    std::int64_t begin = 0;
    std::int64_t total = 0;
};

/// A trained array in PyTorch order (transposed convolution: in, out, kh, kw), or a part of one.
struct ParameterSpec {
    std::string name;                 ///< `deconv0.weight`
    std::vector<std::int64_t> shape;  ///< of what is held
    Initializer initial = Initializer::zero;
    std::optional<ArraySlice> slice = {};
    double deviation = 0.02;   ///< standard deviation where the initial values are normal
    bool in_products = false;  ///< of a layer that multiplies matrices: held in the compute type
    [[nodiscard]] std::int64_t elements() const;
};
/// A running statistic: `norm0.running_mean`, `norm0.running_var`, or a part of one.
struct BufferSpec {
    std::string name;
    std::int64_t elements = 0;
    Initializer initial = Initializer::zero;
    std::optional<ArraySlice> slice = {};
};

/// Shape of the logical array of which `local`, with this slice, is the part.
[[nodiscard]] std::vector<std::int64_t> logical_shape(std::vector<std::int64_t> local,
                                                      const std::optional<ArraySlice>& slice);
/// The box of the logical array that a part holds: for each dim, its run of elements.
[[nodiscard]] std::vector<Range> box_of(const std::vector<std::int64_t>& local,
                                        const std::optional<ArraySlice>& slice);

}  // namespace civitas::net
