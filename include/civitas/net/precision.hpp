#pragma once
/// The numbers that nets compute with.
#include <string_view>

namespace civitas::net {

/// The type of activations and convolutions. Weights, moments and sums are fp32, or fp64 with
/// `fp64`.
enum class Precision { fp32, bf16, fp64 };
[[nodiscard]] Precision parse_precision(std::string_view name);  ///< throws UsageError
[[nodiscard]] std::string_view to_string(Precision precision);

}  // namespace civitas::net
