#pragma once
/// One factory per kind of layer.
#include "civitas/nn/layer.hpp"

namespace civitas::nn {

[[nodiscard]] std::unique_ptr<Layer> make_convolution(const net::ConvolutionGeometry& geometry,
                                                      bool transposed, at::Tensor weight);
/// Of kernel 4, stride 2, padding 1 and weights that kernels::thin::supports.
[[nodiscard]] std::unique_ptr<Layer> make_thin_convolution(const net::ConvolutionGeometry& geometry,
                                                           bool transposed,
                                                           const at::Tensor& weight);
/// Of padding 0: between one pixel and images of the kernel's size by matrix products, between
/// others by ATen.
[[nodiscard]] std::unique_ptr<Layer> make_product(const net::ConvolutionGeometry& geometry,
                                                  bool transposed, const at::Tensor& weight);
/// Whether the kernels of winograd.hpp can compute a convolution, and faster than ATen.
[[nodiscard]] bool uses_winograd(const net::ConvolutionGeometry& geometry, const at::Tensor& weight,
                                 net::KernelSet kernels);
/// `aten`: the layer that make_convolution makes of the same.
[[nodiscard]] std::unique_ptr<Layer> make_winograd_convolution(bool transposed, at::Tensor weight,
                                                               std::unique_ptr<Layer> aten);
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
[[nodiscard]] std::unique_ptr<Layer> make_tanh(net::KernelSet kernels);
[[nodiscard]] std::unique_ptr<Layer> make_exchange(const net::Redistribute& exchange,
                                                   const comm::TensorCollectives& ranks);

}  // namespace civitas::nn
