#pragma once
/// How well plans are what they were asked to be.
#include "civitas/quality/class_map.hpp"
#include "civitas/quality/evaluation.hpp"

#include <string_view>
#include <vector>

namespace civitas::quality {

/// Shares of a plan that were wished.
struct WishedCover {
    double building = 0;
    double road = 0;
};

/// A figure that was wished for each plan, and what was drawn.
struct Obedience {
    std::string_view key, name;
    double wished = 0;       ///< mean
    double drawn = 0;        ///< mean
    double error = 0;        ///< mean of the absolute differences
    double correlation = 0;  ///< Pearson's; NaN where one of both does not vary
};
[[nodiscard]] Obedience obedience_of(std::string_view key, std::string_view name,
                                     const std::vector<double>& wished,
                                     const std::vector<double>& drawn);

/// Of the cover of plans, as they are drawn (where each class has a channel) and as they are
/// stored; nothing where nothing was wished. Precondition: a wish for each plan.
[[nodiscard]] std::vector<Obedience> obedience_of(const std::vector<WishedCover>& wished,
                                                  const ImageSet& soft,
                                                  const std::vector<ClassMap>& stored);

}  // namespace civitas::quality
