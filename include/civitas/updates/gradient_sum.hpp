#pragma once
/// A gradient as the terms that it is the sum of, which are added up block by block.
#include <ATen/core/Tensor.h>
#include <cstdint>
#include <optional>
#include <vector>

namespace civitas::updates {

/// Terms of the same elements as some weights: flat, contiguous, of one type, on a CPU.
struct GradientTerms {
    std::vector<std::vector<at::Tensor>> passes;  ///< of each the terms of all ranks, in rank order
    at::Tensor kept;  ///< gets the weights as they are before an update; may be one of the terms
};

/// Writes the sum of the terms, of each pass in tree order (base/tree.hpp) and then pass by pass,
/// and keeps the weights. Returns the first element whose sum is not finite.
[[nodiscard]] std::optional<std::int64_t> add_up(const GradientTerms& terms,
                                                 const at::Tensor& weights, const at::Tensor& sum);

}  // namespace civitas::updates
