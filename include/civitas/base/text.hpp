#pragma once
/// Small helpers for words that people type and read.
#include "civitas/base/numbers.hpp"

#include <functional>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace civitas {

/// The entry of `known` with the smallest edit distance to `word`, the first of equals. Empty when
/// nothing is near: a hint that has little to do with what was typed would only mislead.
[[nodiscard]] std::optional<std::string> nearest(std::string_view word,
                                                 const std::vector<std::string>& known);

/// Why the last system call failed, by errno: `No space left on device`.
[[nodiscard]] std::string system_error();

/// All items, with `between` between them: `512,256,128` of three widths and `,`. An item is
/// written as it is, or as what `words` makes of it.
template <class Items, class Words = std::identity>
[[nodiscard]] std::string join(const Items& items, std::string_view between, Words words = {}) {
    std::ostringstream out;
    std::string_view before;
    for (const auto& item : items) {
        out << before << std::invoke(words, item);
        before = between;
    }
    return out.str();
}

/// A number with so many digits after the point.
[[nodiscard]] std::string fixed(double value, int decimals);
/// `1 micro-batch`, `3 micro-batches`.
[[nodiscard]] std::string counted(std::int64_t n, std::string_view one, std::string_view many);
/// The time of day now: `2026-03-29 14:05:00 UTC`.
[[nodiscard]] std::string now_in_words();
/// A step as part of a file's name: `step-00001200`.
[[nodiscard]] std::string step_name(StepIndex step);
/// Bytes in megabytes of 10^6: `90.5 MB`.
[[nodiscard]] std::string megabytes(std::int64_t bytes);
/// A count in millions: `3.58 M`.
[[nodiscard]] std::string millions(std::int64_t count);
/// A share in per cent: `12.5 %` of 0.125.
[[nodiscard]] std::string percent(double share);

}  // namespace civitas
