#pragma once
/// One factory per kind of layer.
#include "civitas/nn/layer.hpp"

#include <optional>
#include <string>

namespace civitas::nn {

[[nodiscard]] inline at::Tensor channels_last(const at::Tensor& t) {
    return t.contiguous(at::MemoryFormat::ChannelsLast);
}

/// What products of matrices multiply by and add, of a part of a layer too.
struct Factors {
    at::Tensor weight;
    at::Tensor bias = {};   ///< (out); undefined where there is none
    bool adds_bias = true;  ///< of ranks whose outputs are summed up one does, W is that of each
    [[nodiscard]] std::optional<at::Tensor> added() const {
        return bias.defined() && adds_bias ? std::optional(bias) : std::nullopt;
    }
};
[[nodiscard]] std::unique_ptr<Layer> make_convolution(const net::ConvolutionGeometry& geometry,
                                                      bool transposed, Factors factors);
[[nodiscard]] std::unique_ptr<Layer> make_linear(Factors factors);
[[nodiscard]] std::unique_ptr<Layer> make_max_pool(const net::MaxPool& pool);
[[nodiscard]] std::unique_ptr<Layer> make_adaptive_average_pool(
    const net::AdaptiveAveragePool& pool);
/// `name`: of the layer, of which this is `part`.
[[nodiscard]] std::unique_ptr<Layer> make_dropout(const std::string& name, double p,
                                                  net::LayerPart part);
/// Layers one after the other, and how many parameters each has.
struct Branch {
    std::vector<std::unique_ptr<Layer>> layers = {};
    std::vector<std::size_t> parameters = {};
};
/// `slope`: of the leaky ReLU behind the sum.
[[nodiscard]] std::unique_ptr<Layer> make_residual(Branch body, Branch shortcut,
                                                   std::optional<double> slope);
/// By kernels::thin, which has no F of a convolution and no B of a transposed one.
[[nodiscard]] std::unique_ptr<Layer> make_thin_convolution(bool transposed, at::Tensor weight);
/// By kernels::picture.
[[nodiscard]] std::unique_ptr<Layer> make_picture_convolution(at::Tensor weight);
/// Between one pixel and images of the kernel's size, by matrix products.
[[nodiscard]] std::unique_ptr<Layer> make_product(const net::ConvolutionGeometry& geometry,
                                                  bool transposed, const at::Tensor& weight);
/// By strided::down, up and weight_gradient.
[[nodiscard]] std::unique_ptr<Layer> make_strided_convolution(bool transposed, at::Tensor weight);
/// A layer of which F, B and W each are those of another one. All keep the same between them.
struct LayerOfPass {
    std::unique_ptr<Layer> forward, backward_input, backward_weights;
};
[[nodiscard]] std::unique_ptr<Layer> make_mixed(LayerOfPass by);
[[nodiscard]] std::unique_ptr<Layer> make_batch_norm(const std::string& name, double epsilon,
                                                     const LayerViews& views);
[[nodiscard]] std::unique_ptr<Layer> make_sync_batch_norm(const std::string& name, double epsilon,
                                                          const LayerViews& views,
                                                          const comm::MpiCollectives& ranks);
/// Batch norm and the leaky ReLU behind it (slope 1: none) by kernels::batch_norm_forward.
[[nodiscard]] std::unique_ptr<Layer> make_batch_norm_kernel(const std::string& name, double epsilon,
                                                            double slope, const LayerViews& views);
/// A batch norm and the leaky ReLU behind it as one layer, one after the other.
[[nodiscard]] std::unique_ptr<Layer> make_activated(std::unique_ptr<Layer> norm, double slope);
[[nodiscard]] std::unique_ptr<Layer> make_leaky_relu(double slope);
[[nodiscard]] std::unique_ptr<Layer> make_tanh(net::Kernel forward);
[[nodiscard]] std::unique_ptr<Layer> make_exchange(const net::Redistribute& exchange,
                                                   const comm::TensorCollectives& ranks);

}  // namespace civitas::nn
