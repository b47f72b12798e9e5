#pragma once
/// The step of a GAN (Goodfellow et al., arXiv 1406.2661): D learns from real tiles and fakes, then
/// G through the new D from the same fakes.
#include "civitas/schedule/step_graph.hpp"

namespace civitas::schedule::gan {

inline constexpr NetId generator{0};
inline constexpr NetId discriminator{1};

inline constexpr PassId real{0};        ///< `D.real`: real tiles
inline constexpr PassId generate{1};    ///< `G.generate`: fakes of the latent
inline constexpr PassId fake{2};        ///< `D.fake`: fakes, in D's update
inline constexpr PassId d_generate{3};  ///< `D.generate`: the same fakes, in G's update

[[nodiscard]] StepGraph graph();

}  // namespace civitas::schedule::gan
