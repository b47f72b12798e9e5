#pragma once
/// The tensor axis: nets cut by channels, so that weights, gradients and moments are divided over
/// its ranks (Shoeybi et al., arXiv 1909.08053, for convolutions). How a layer is cut is data: a
/// part of a net is a description like any other, with fewer channels per layer and with exchanges
/// between layers.
#include "civitas/net/description.hpp"

#include <vector>

namespace civitas::net {

/// An activation that is equal on all ranks, as is its gradient.
inline constexpr Sharding replicated{Placement::replicate, Placement::replicate};
/// An activation whose channels are divided: what layers that work channel by channel take and
/// give.
inline constexpr Sharding sliced{Placement::shard, Placement::shard};
/// What output-split layers take: each rank's gradient is of its own output channels only.
inline constexpr Sharding shared{Placement::replicate, Placement::partial};
/// What input-split layers give: all output channels, summed over its own input channels only.
inline constexpr Sharding partial{Placement::partial, Placement::replicate};

/// How one layer is cut, and what the ranks hold before and after it: Placement::replicate or
/// Placement::shard.
struct LayerSplit {
    ChannelSplit cut = ChannelSplit::whole;
    Placement before = Placement::replicate;
    Placement after = Placement::replicate;
    friend bool operator==(const LayerSplit&, const LayerSplit&) = default;
};

struct TensorSplit {
    int parts = 1;
    std::vector<LayerSplit> layers;  ///< one per layer of the net
};

/// Cuts every convolution of which `parts` divides the input or the output channels, so that the
/// fewest values are exchanged (of equal plans, one that keeps more channels divided); the rest
/// stays whole. Input and output of the net are whole on all ranks. Throws UsageError when there
/// are more parts than channels in the narrowest layer, or `parts` divides none.
[[nodiscard]] TensorSplit tensor_split(const NetDescription& net, int parts);

/// The part of a plan for layers [begin, end), as a net of their own.
[[nodiscard]] TensorSplit part_of(const TensorSplit& plan, Range layers);

/// What one rank holds of the net. Layers keep their names; the exchanges before and after
/// `deconv1` are called `deconv1.in` and `deconv1.out`. What computes it is with_kernels()'s.
[[nodiscard]] NetDescription local_net(const NetDescription& net, const TensorSplit& plan,
                                       int part);

/// Shape of one sample before `layer`, or after the last, as a rank holds it.
[[nodiscard]] ImageShape local_shape(const NetDescription& net, const TensorSplit& plan,
                                     std::int64_t layer);

/// Rounds of messages of F and of B: in each a rank sends (parts - 1) / parts of the activation's
/// values, all its channels counted.
struct ExchangeRounds {
    int forward = 0;
    int backward = 0;
};
[[nodiscard]] ExchangeRounds rounds_of(const Redistribute& exchange);

/// Values per sample that a rank sends in F and B of a part of a net, times parts / (parts - 1).
[[nodiscard]] std::int64_t values_exchanged(const NetDescription& part);

}  // namespace civitas::net
