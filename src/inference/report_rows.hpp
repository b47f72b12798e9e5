#pragma once
/// What is known of whole sets, as rows: cover, difference, distances.
#include "civitas/quality/report.hpp"

#include <optional>
#include <string>
#include <vector>

namespace civitas::inference {

struct SetRow {
    std::string key;   ///< in files; those of soft images have the names of old
    std::string name;  ///< for people
    quality::PerSet<double> set;
    std::optional<double> test;  ///< none: a distance to test tiles
};

/// Cover, difference and sliced Wasserstein distances of soft and stored tiles, the kernel test,
/// and what goes on over borders where plans lie side by side.
[[nodiscard]] std::vector<SetRow> set_rows(const quality::Report& report);

/// What the distances of towns are, and of how many tiles, in words.
[[nodiscard]] std::string likeness_in_words(const quality::Likeness& likeness);

/// With about four digits; `-` where it is not defined.
[[nodiscard]] std::string figure_text(double value);

}  // namespace civitas::inference
