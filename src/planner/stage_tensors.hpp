#pragma once
/// The tensors that F and B of a stage make, and which of them somebody keeps.
#include "civitas/net/description.hpp"

#include <cstdint>
#include <vector>

namespace civitas::planner {

/// Of one sample. A tensor has a place where it is made, which whoever hands it on keeps: what
/// several layers keep counts once.
class StageTensors {
public:
    explicit StageTensors(const net::NetDescription& stage);

    /// Values of activations that F saves.
    [[nodiscard]] std::int64_t saved() const;
    /// Values of activations and gradients that W needs.
    [[nodiscard]] std::int64_t needed_by_weights() const;
    /// Values of which F keeps a byte each.
    [[nodiscard]] std::int64_t masks() const noexcept { return masks_; }
    /// Channels of batch norms.
    [[nodiscard]] std::int64_t normalised_channels() const noexcept { return channels_; }

    [[nodiscard]] bool saves_input() const { return values_.front().saved; }
    [[nodiscard]] bool needs_input() const { return values_.front().needed_by_w; }
    [[nodiscard]] bool saves_output() const { return values_.at(output_).saved; }

private:
    using Place = std::size_t;
    struct Tensor {
        std::int64_t elements = 0;
        bool saved = false;
        bool needed_by_w = false;
    };

    [[nodiscard]] static Place add(std::vector<Tensor>& made, net::ImageShape shape);
    /// From the place of a net's input to that of its output.
    [[nodiscard]] Place forward(const net::NetDescription& net, Place x);
    /// From the place of the gradient of a net's output to that of its input's.
    [[nodiscard]] Place backward(const net::NetDescription& net, Place gy);

    std::vector<Tensor> values_;
    std::vector<Tensor> gradients_;
    std::int64_t masks_ = 0;
    std::int64_t channels_ = 0;
    Place output_ = 0;
};

}  // namespace civitas::planner
