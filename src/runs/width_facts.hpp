#pragma once
/// What a checkpoint says of the widths of its nets.
#include "civitas/net/description.hpp"

#include <string>

namespace civitas::runs {

inline const std::string generator_fact = "generator-widths";
inline const std::string discriminator_fact = "discriminator-widths";

/// Channels after each convolution but the last, as the options of widths name them: `64,128`.
[[nodiscard]] std::string widths_of(const net::NetDescription& net);

/// The widths that a named net had by itself when checkpoints did not say these: those of today but
/// for a layer that G of dcgan-64 had not.
[[nodiscard]] std::string older_widths(const std::string& net, const std::string& fact);

/// Whether arrays of a checkpoint have other shapes where a fact has another value: then it cannot
/// be loaded, whatever is allowed.
[[nodiscard]] bool shapes_arrays(const std::string& fact);

}  // namespace civitas::runs
