#pragma once
/// Shapes of arrays in messages.
#include <cstdint>
#include <string>
#include <vector>

namespace civitas::inference {

/// `64 x 3 x 7 x 7`, of a scalar `one number`.
[[nodiscard]] inline std::string shape_text(const std::vector<std::int64_t>& shape) {
    std::string words;
    for (const auto n : shape) words += (words.empty() ? "" : " x ") + std::to_string(n);
    return words.empty() ? "one number" : words;
}

}  // namespace civitas::inference
