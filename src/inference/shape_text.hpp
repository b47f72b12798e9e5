#pragma once
/// Shapes of arrays in messages.
#include "civitas/base/text.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace civitas::inference {

/// `64 x 3 x 7 x 7`, of a scalar `one number`.
[[nodiscard]] inline std::string shape_text(const std::vector<std::int64_t>& shape) {
    return shape.empty() ? "one number" : join(shape, " x ");
}

}  // namespace civitas::inference
