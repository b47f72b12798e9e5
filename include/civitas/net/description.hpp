#pragma once
/// Nets as lists of layer descriptions: plain data from which shapes, parameters, work and memory
/// are computed without allocating anything. 64-bit sizes throughout.
#include "civitas/base/numbers.hpp"
#include "civitas/net/layer_kernels.hpp"
#include "civitas/net/layer_parameters.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace civitas::net {

/// Shape of one sample between layers.
struct ImageShape {
    std::int64_t channels = 0;
    std::int64_t height = 0;
    std::int64_t width = 0;
    [[nodiscard]] constexpr std::int64_t elements() const { return channels * height * width; }
    friend bool operator==(const ImageShape&, const ImageShape&) = default;
};

/// A convolution with a square kernel. A bias comes without a batch norm behind it, as in VGG.
struct ConvolutionGeometry {
    std::int64_t in = 0;
    std::int64_t out = 0;
    std::int64_t kernel = 4;
    std::int64_t stride = 2;
    std::int64_t padding = 1;
    bool bias = false;
    double deviation = 0.02;  ///< of the initial weights, which are normal around 0; the bias is 0
};
struct Convolution : ConvolutionGeometry {};
struct TransposedConvolution : ConvolutionGeometry {};
/// Every output is a sum over all values of a sample, which are taken in PyTorch's order (C, H, W):
/// torch.nn.Flatten and torch.nn.Linear. Gives (out, 1, 1).
struct Linear {
    std::int64_t in = 0;  ///< values of a sample
    std::int64_t out = 0;
    bool bias = true;
    double deviation = 0.01;  ///< of the initial weights, which are normal around 0; the bias is 0
};
struct BatchNorm {
    std::int64_t channels = 0;
    double epsilon = 1e-5;
    Initializer initial = Initializer::normal_around_one;  ///< of the weight
};
struct LeakyRelu {
    double slope = 0.2;  ///< 0: ReLU
};
/// A batch norm and the activation behind it as one layer (fuse.hpp); what takes a BatchNorm takes
/// it too, as one. B finds the sign of the output again from the input.
struct BatchNormActivation : BatchNorm {
    LeakyRelu activation = {};
};
struct Tanh {};
/// The largest value under a square window; none lies in the padding (torch.nn.MaxPool2d).
struct MaxPool {
    std::int64_t kernel = 2;
    std::int64_t stride = 2;
    std::int64_t padding = 0;
};
/// Means over windows that cover the image evenly, giving `height` x `width` of them
/// (torch.nn.AdaptiveAvgPool2d).
struct AdaptiveAveragePool {
    std::int64_t height = 1;
    std::int64_t width = 1;
};
/// Sets each value to 0 with probability `p` and divides the others by 1 - p; the identity outside
/// of training (Srivastava et al., JMLR 2014). Which ones is a formula of the run's seed, the
/// sample, the name of the layer and the place of the value in the sample.
struct Dropout {
    double p = 0.5;
};
struct LayerDescription;
/// activation(body(x) + shortcut(x)), the block of residual nets (He et al., arXiv 1512.03385). One
/// layer of a net: stages are cut between blocks, and what ranks of the tensor axis hold before and
/// after it is whole. Its parameters and buffers are those of its layers, the body's first; their
/// names are whole ones (`layer1.0.conv1`).
struct Residual {
    std::vector<LayerDescription> body;
    std::vector<LayerDescription> shortcut;  ///< empty: the identity
    std::optional<LeakyRelu> activation = LeakyRelu{0};
};

/// What each rank of the tensor axis holds of an array: all of it, equal on every rank; a slice of
/// the channels; a summand of it.
enum class Placement { replicate, shard, partial };
/// What each rank of the tensor axis holds of an activation, and of its gradient.
struct Sharding {
    Placement value = Placement::replicate;
    Placement gradient = Placement::replicate;
    friend bool operator==(const Sharding&, const Sharding&) = default;
};
/// Stands where layers want an activation held differently: F makes `after.value` of
/// `before.value`, B makes `before.gradient` of `after.gradient`.
struct Redistribute {
    Sharding before, after;
    int parts = 1;  ///< ranks of the tensor axis
};
using LayerKind =
    std::variant<Convolution, TransposedConvolution, BatchNorm, LeakyRelu, Tanh, Redistribute,
                 BatchNormActivation, Linear, MaxPool, AdaptiveAveragePool, Dropout, Residual>;

/// How the tensor axis divides a layer: not at all, by its output or its input channels, by the
/// channels of a layer that works on each alone, or each layer inside of it by itself.
enum class ChannelSplit { whole, output, input, channels, inside };
/// Which part of a layer a description stands for; its kind has the channels of the part.
struct LayerPart {
    ChannelSplit cut = ChannelSplit::whole;
    int part = 0;
    int parts = 1;
};

struct LayerDescription {
    std::string name;  ///< unique in the net, part of names in checkpoints: `deconv0`, `norm0`
    LayerKind kind;
    LayerPart part = {};
    LayerKernels kernels = {};  ///< what computes it: see with_kernels()
};

struct NetDescription {
    std::string name;
    ImageShape input;
    std::vector<LayerDescription> layers;
};

[[nodiscard]] std::vector<ParameterSpec> parameters_of(const LayerDescription& layer);
[[nodiscard]] std::vector<BufferSpec> buffers_of(const LayerDescription& layer);
[[nodiscard]] std::vector<ParameterSpec> parameters_of(const NetDescription& net);
[[nodiscard]] std::vector<BufferSpec> buffers_of(const NetDescription& net);
[[nodiscard]] std::int64_t parameter_count(const NetDescription& net);

/// Shape of one sample after a layer. Throws UsageError naming the layer when `input` does not fit
/// it.
[[nodiscard]] ImageShape output_of(const LayerDescription& layer, ImageShape input);
/// Shape before each layer and after the last: layers.size() + 1 entries.
[[nodiscard]] std::vector<ImageShape> shapes_of(const NetDescription& net);
/// The layers inside a residual block as nets of their own, the body first; none of another layer.
[[nodiscard]] std::vector<NetDescription> nets_inside(const LayerDescription& layer,
                                                      ImageShape input);
/// Layers [begin, end) as a net of their own; names stay those of the whole net.
[[nodiscard]] NetDescription part_of(const NetDescription& net, Range layers);
/// Floating point operations of F for one sample (a multiply-add counts 2; B and W cost the same).
[[nodiscard]] double forward_flops(const LayerDescription& layer, ImageShape input);
[[nodiscard]] double forward_flops(const NetDescription& net);

/// A pair of nets that fit each other.
struct GanDescription {
    std::string name;
    std::int64_t pixels = 0;
    std::int64_t nz = 0;
    NetDescription generator;
    NetDescription discriminator;
};

/// What may differ from a named pair; empty or 0 keeps the named value.
struct GanOverrides {
    std::int64_t nz = 0;
    /// Channels after the first, second... layer. The last layer doubles the side and makes the
    /// image; behind one width more it is a convolution of 3 x 3 pixels at the image's own size.
    std::vector<std::int64_t> generator_widths;
    std::vector<std::int64_t> discriminator_widths;  ///< channels after the first, second... layer
    std::int64_t conditions = 0;                     ///< numbers that tell both nets what is asked
};

/// Describes a pair of DCGANs by name (Radford et al., arXiv 1511.06434): `dcgan-64` (nz 100,
/// widths 512,256,128,64 and, for a last layer of full size, 32), `dcgan-256` (nz 256, widths
/// 1024,1024,512,256,128,64), `dcgan-512`, `dcgan-1024` (same head, ...,32(,16)); discriminators
/// mirrored from base 64 and capped at 512.
/// With K conditions the generator has them behind the noise, nz + K inputs (Mirza & Osindero,
/// arXiv 1411.1784), and the discriminator gives 1 + K outputs, of which the loss makes a logit
/// (nn/projection.hpp).
/// Throws UsageError with the nearest name for an unknown one, and for widths that do not reach the
/// size.
[[nodiscard]] GanDescription dcgan(std::string_view name, std::int64_t channels,
                                   const GanOverrides& changes = {});

}  // namespace civitas::net
