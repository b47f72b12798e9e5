#pragma once
/// Which tensors a stage keeps.
#include "civitas/net/description.hpp"

namespace civitas::planner {

/// Whether a stage's input and output themselves are among what F saves and B holds for W.
struct KeptEnds {
    bool saves_input = false;
    bool holds_input = false;
    bool saves_output = false;
};
[[nodiscard]] KeptEnds kept_ends(const net::NetDescription& stage);

}  // namespace civitas::planner
