#pragma once
/// The tensor axis: nets cut by channels, so that weights, gradients and moments are divided over
/// its ranks (Shoeybi et al., arXiv 1909.08053, for convolutions). How a layer is cut is data: a
/// part of a net is a description like any other, with fewer channels per layer and with exchanges
/// between layers.
#include "civitas/net/description.hpp"

#include <vector>

namespace civitas::net {

/// Equal on all ranks, as is its gradient.
inline constexpr Spread replicated{Held::whole, Held::whole};
/// Channels divided: what layers that work channel by channel take and give.
inline constexpr Spread sliced{Held::slice, Held::slice};
/// What output-split layers take: each rank's gradient is of its own output channels only.
inline constexpr Spread shared{Held::whole, Held::summand};
/// What input-split layers give: all output channels, summed over its own input channels only.
inline constexpr Spread partial{Held::summand, Held::whole};

/// How one layer is cut, and what the ranks hold before and after it: Held::whole or Held::slice.
struct LayerCut {
    Cut cut = Cut::whole;
    Held before = Held::whole;
    Held after = Held::whole;
    friend bool operator==(const LayerCut&, const LayerCut&) = default;
};

struct TensorPlan {
    int parts = 1;
    std::vector<LayerCut> layers;  ///< one per layer of the net
};

/// Cuts every convolution of which `parts` divides the input or the output channels, so that the
/// fewest values are exchanged (of equal plans, one that keeps more channels divided); the rest
/// stays whole. Input and output of the net are whole on all ranks. Throws UsageError when there
/// are more parts than channels in the narrowest layer, or `parts` divides none.
[[nodiscard]] TensorPlan tensor_plan(const NetDescription& net, int parts);

/// The plan of layers [begin, end), as a net of their own.
[[nodiscard]] TensorPlan part_of(const TensorPlan& plan, Range layers);

/// What one rank holds of the net. Layers keep their names; the exchanges before and after
/// `deconv1` are called `deconv1.in` and `deconv1.out`.
[[nodiscard]] NetDescription tensor_part(const NetDescription& net, const TensorPlan& plan,
                                         int part);

/// Shape of one sample before `layer`, or after the last, as a rank holds it.
[[nodiscard]] ImageShape held_shape(const NetDescription& net, const TensorPlan& plan,
                                    std::int64_t layer);

/// Rounds of messages of F and of B: in each a rank sends (parts - 1) / parts of the activation's
/// values, all its channels counted.
struct ExchangeRounds {
    int forward = 0;
    int backward = 0;
};
[[nodiscard]] ExchangeRounds rounds_of(const Exchange& exchange);

/// Values per sample that a rank sends in F and B of a part, times parts / (parts - 1).
[[nodiscard]] std::int64_t values_exchanged(const NetDescription& part);

}  // namespace civitas::net
