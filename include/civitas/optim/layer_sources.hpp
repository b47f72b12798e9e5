#pragma once
/// Where the layers of a net find their numbers.
#include "civitas/nn/layer.hpp"
#include "civitas/optim/arena.hpp"

#include <memory>
#include <vector>

namespace civitas::optim {

/// Running statistics of a net, one small tensor per buffer, side by side in memory.
class Buffers {
public:
    Buffers(const net::NetDescription& net, at::ScalarType type, at::Device device);
    [[nodiscard]] const std::vector<net::BufferSpec>& specs() const noexcept { return specs_; }
    [[nodiscard]] const std::vector<at::Tensor>& tensors() const noexcept { return tensors_; }
    /// The same numbers in memory of their own.
    [[nodiscard]] Buffers clone() const;
    /// Mixes in the statistics of another net: this = decay * this + (1 - decay) * other.
    void mix(const Buffers& other, double decay);
    /// Brings the buffers in `part` up to date: running = 0.9 running + 0.1 statistic, for each
    /// micro-batch in the order given: a flat vector of its statistics, one after the other.
    void apply(Range part, const std::vector<at::Tensor>& flat) const;

private:
    void look_at(at::Tensor flat);  ///< takes numbers for those of all buffers
    std::vector<net::BufferSpec> specs_;
    at::Tensor flat_;
    std::vector<at::Tensor> tensors_;  ///< views of it
};

/// Where layers find their numbers: a view for each slot of the net's arena, and statistics.
struct LayerSources {
    std::vector<at::Tensor> parameters;
    const Buffers& buffers;
};
/// The views of an arena; those of the layers that convolve of another one, of the compute type,
/// where there is one.
[[nodiscard]] std::vector<at::Tensor> views_of(const net::NetDescription& net,
                                               const Arena& parameters, const Arena* convolutions);
/// Makes the layers of a net over the tensors of `from`.
[[nodiscard]] std::vector<std::unique_ptr<nn::Layer>> make_layers(const net::NetDescription& net,
                                                                  const LayerSources& from,
                                                                  const nn::LayerOptions& options);

}  // namespace civitas::optim
