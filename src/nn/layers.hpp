#pragma once
/// One factory per kind of layer.
#include "civitas/nn/layer.hpp"

namespace civitas::nn {

[[nodiscard]] std::unique_ptr<Layer> make_convolution(const net::ConvolutionGeometry& geometry,
                                                      bool transposed, at::Tensor weight);
[[nodiscard]] std::unique_ptr<Layer> make_batch_norm(const std::string& name, double epsilon,
                                                     const LayerViews& views);
[[nodiscard]] std::unique_ptr<Layer> make_sync_batch_norm(const std::string& name, double epsilon,
                                                          const LayerViews& views,
                                                          const comm::MpiCollectives& ranks);
[[nodiscard]] std::unique_ptr<Layer> make_leaky_relu(double slope);
[[nodiscard]] std::unique_ptr<Layer> make_tanh();
[[nodiscard]] std::unique_ptr<Layer> make_exchange(const net::Redistribute& exchange,
                                                   const comm::TensorCollectives& ranks);

}  // namespace civitas::nn
