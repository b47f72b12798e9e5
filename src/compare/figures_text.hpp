#pragma once
/// Figures of outcomes in words, the same on the terminal and on the page.
#include "civitas/compare/results.hpp"

#include <array>
#include <functional>
#include <string>
#include <vector>

namespace civitas::compare {

/// A figure of every strategy; `-` where it is not known.
struct Column {
    std::string name;
    std::function<std::string(const Outcome&)> cell;
};
/// Those that a comparison has: measured ones where something was trained. The comparison outlives
/// them.
[[nodiscard]] std::vector<Column> columns_of(const Comparison& comparison);

[[nodiscard]] std::string seconds_in_words(double seconds);  ///< `12.5 ms`

/// What a rank holds, by what it holds it for, in the order of charts: weights, gradients, moments,
/// means, activations, messages.
inline constexpr std::array parts_of_memory{"parameters", "gradients",   "moments",
                                            "mean",       "activations", "messages"};
/// Bytes of a part, as measured in the first round; 0 where nothing is known of it.
[[nodiscard]] std::int64_t bytes_for(const Outcome& outcome, const std::string& part);

}  // namespace civitas::compare
