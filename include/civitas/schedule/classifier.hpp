#pragma once
/// The step of a classifier: one net learns from images and their classes.
#include "civitas/schedule/step_graph.hpp"

namespace civitas::schedule::classifier {

inline constexpr NetId net{0};
inline constexpr PassId train{0};  ///< `C.train`

[[nodiscard]] StepGraph graph();

}  // namespace civitas::schedule::classifier
