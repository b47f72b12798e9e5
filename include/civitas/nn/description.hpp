#pragma once
/// Nets as lists of layer descriptions: plain data from which shapes, parameters, work and memory
/// are computed without allocating anything. 64-bit sizes throughout.
#include "civitas/base/numbers.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace civitas::nn {

/// Shape of one sample between layers.
struct ImageShape {
    std::int64_t channels = 0;
    std::int64_t height = 0;
    std::int64_t width = 0;
    [[nodiscard]] constexpr std::int64_t elements() const { return channels * height * width; }
    friend bool operator==(const ImageShape&, const ImageShape&) = default;
};

/// Square kernels, no bias (every convolution but the last is followed by batch norm, and DCGAN's
/// last ones have none either).
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
struct Tanh {};
using LayerKind = std::variant<Convolution, TransposedConvolution, BatchNorm, LeakyRelu, Tanh>;

struct LayerDescription {
    std::string name;  ///< unique in the net, part of names in checkpoints: `deconv0`, `norm0`
    LayerKind kind;
};

struct NetDescription {
    std::string name;
    ImageShape input;
    std::vector<LayerDescription> layers;
};

enum class Fill { normal_around_zero, normal_around_one, zero, one };

/// A trained array: logical shape in PyTorch order (transposed convolution: in, out, kh, kw).
struct ParameterSpec {
    std::string name;  ///< `deconv0.weight`
    std::vector<std::int64_t> shape;
    Fill initial = Fill::zero;  ///< normals have standard deviation 0.02
    [[nodiscard]] std::int64_t elements() const;
};
/// A running statistic: `norm0.running_mean`, `norm0.running_var`.
struct BufferSpec {
    std::string name;
    std::int64_t elements = 0;
    Fill initial = Fill::zero;
};

[[nodiscard]] std::vector<ParameterSpec> parameters_of(const LayerDescription& layer);
[[nodiscard]] std::vector<BufferSpec> buffers_of(const LayerDescription& layer);
[[nodiscard]] std::vector<ParameterSpec> parameters_of(const NetDescription& net);
[[nodiscard]] std::vector<BufferSpec> buffers_of(const NetDescription& net);
[[nodiscard]] std::int64_t parameter_count(const NetDescription& net);

/// Throws UsageError naming the layer when `input` does not fit it.
[[nodiscard]] ImageShape output_of(const LayerDescription& layer, ImageShape input);
/// Shape before each layer and after the last: layers.size() + 1 entries.
[[nodiscard]] std::vector<ImageShape> shapes_of(const NetDescription& net);
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
struct GanChanges {
    std::int64_t nz = 0;
    std::vector<std::int64_t> generator_widths;      ///< channels after the first, second... layer
    std::vector<std::int64_t> discriminator_widths;  ///< likewise
};

/// `dcgan-64` (nz 100, widths 512,256,128,64), `dcgan-256` (nz 256, widths
/// 1024,1024,512,256,128,64), `dcgan-512`, `dcgan-1024` (same head, ...,32(,16)); discriminators
/// mirrored from base 64 and capped at 512. Radford et al., arXiv 1511.06434. Throws UsageError
/// with the nearest name for an unknown one, and for widths that do not reach the size.
[[nodiscard]] GanDescription dcgan(std::string_view name, std::int64_t channels,
                                   const GanChanges& changes = {});

}  // namespace civitas::nn
