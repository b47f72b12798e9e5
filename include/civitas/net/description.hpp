#pragma once
/// Nets as lists of layer descriptions: plain data from which shapes, parameters, work and memory
/// are computed without allocating anything. 64-bit sizes throughout.
#include "civitas/base/numbers.hpp"
#include "civitas/net/layer_kernels.hpp"

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

/// A convolution with a square kernel and no bias (every convolution but the last is followed by
/// batch norm, and DCGAN's last ones have none either).
struct ConvolutionGeometry {
    std::int64_t in = 0;
    std::int64_t out = 0;
    std::int64_t kernel = 4;
    std::int64_t stride = 2;
    std::int64_t padding = 1;
};
struct Convolution : ConvolutionGeometry {};
struct TransposedConvolution : ConvolutionGeometry {};
struct BatchNorm {
    std::int64_t channels = 0;
    double epsilon = 1e-5;
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
using LayerKind = std::variant<Convolution, TransposedConvolution, BatchNorm, LeakyRelu, Tanh,
                               Redistribute, BatchNormActivation>;

/// How the tensor axis divides a layer: not at all, by its output or its input channels, or by the
/// channels of a layer that works on each alone.
enum class ChannelSplit { whole, output, input, channels };
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

enum class Initializer { normal_around_zero, normal_around_one, zero, one };

/// Where a part lies in its logical array: `begin` of `total` along one dim, whole along the
/// others.
struct ArraySlice {
    std::size_t dim = 0;
    std::int64_t begin = 0;
    std::int64_t total = 0;
};

/// A trained array in PyTorch order (transposed convolution: in, out, kh, kw), or a part of one.
struct ParameterSpec {
    std::string name;                         ///< `deconv0.weight`
    std::vector<std::int64_t> shape;          ///< of what is held
    Initializer initial = Initializer::zero;  ///< normals have standard deviation 0.02
    std::optional<ArraySlice> slice = {};
    [[nodiscard]] std::int64_t elements() const;
};
/// A running statistic: `norm0.running_mean`, `norm0.running_var`, or a part of one.
struct BufferSpec {
    std::string name;
    std::int64_t elements = 0;
    Initializer initial = Initializer::zero;
    std::optional<ArraySlice> slice = {};
};

/// Shape of the logical array of which `local`, with this slice, is the part.
[[nodiscard]] std::vector<std::int64_t> logical_shape(std::vector<std::int64_t> local,
                                                      const std::optional<ArraySlice>& slice);
/// The box of the logical array that a part holds: for each dim, its run of elements.
[[nodiscard]] std::vector<Range> box_of(const std::vector<std::int64_t>& local,
                                        const std::optional<ArraySlice>& slice);

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
/// Layers [begin, end) as a net of their own; names stay those of the whole net.
[[nodiscard]] NetDescription part_of(const NetDescription& net, Range layers);
/// Floating point operations of F for one sample (a multiply-add counts 2; B and W cost the same).
[[nodiscard]] double forward_flops(const LayerDescription& layer, ImageShape input);

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
    std::vector<std::int64_t> generator_widths;      ///< channels after the first, second... layer
    std::vector<std::int64_t> discriminator_widths;  ///< channels after the first, second... layer
};

/// Describes a pair of DCGANs by name (Radford et al., arXiv 1511.06434): `dcgan-64` (nz 100,
/// widths 512,256,128,64), `dcgan-256` (nz 256, widths 1024,1024,512,256,128,64), `dcgan-512`,
/// `dcgan-1024` (same head, ...,32(,16)); discriminators mirrored from base 64 and capped at 512.
/// Throws UsageError with the nearest name for an unknown one, and for widths that do not reach the
/// size.
[[nodiscard]] GanDescription dcgan(std::string_view name, std::int64_t channels,
                                   const GanOverrides& changes = {});

}  // namespace civitas::net
