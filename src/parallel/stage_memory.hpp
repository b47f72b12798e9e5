#pragma once
/// Which tensors a stage keeps.
#include "civitas/nn/description.hpp"

namespace civitas::parallel {

/// Whether a stage's input and output themselves are among what F saves and B holds for W.
struct KeptEnds {
    bool saves_input = false;
    bool holds_input = false;
    bool saves_output = false;
};
[[nodiscard]] KeptEnds kept_ends(const nn::NetDescription& stage);

}  // namespace civitas::parallel
