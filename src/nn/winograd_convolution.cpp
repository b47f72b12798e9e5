#include "layers.hpp"

#include "civitas/kernels/winograd.hpp"

#include <utility>

namespace civitas::nn {
namespace {

namespace winograd = kernels::winograd;

/// Channels of both images from which on it is faster than ATen, measured by bench_kernels.
constexpr std::int64_t least_channels = 64;

at::Tensor channels_last(const at::Tensor& t) {
    return t.contiguous(at::MemoryFormat::ChannelsLast);
}

/// Direct or transposed convolution of kernel 4, stride 2 and padding 1; keeps its input.
class WinogradConvolution : public Layer {
public:
    /// `aten`: the same layer, for images of odd sides.
    WinogradConvolution(bool transposed, at::Tensor weight, std::unique_ptr<Layer> aten)
        : transposed_(transposed), weight_(std::move(weight)), aten_(std::move(aten)) {}

    [[nodiscard]] Forward forward(const at::Tensor& x) const override {
        return {evaluate(x), {{x}, {}}};
    }

    [[nodiscard]] at::Tensor evaluate(const at::Tensor& x) const override {
        if (!fits(x)) return aten_->evaluate(x);
        return transposed_ ? up(x) : down(x);
    }

    [[nodiscard]] at::Tensor backward_input(const at::Tensor& gy,
                                            SavedTensors& saved) const override {
        if (!fits(saved.tensors[0])) return aten_->backward_input(gy, saved);
        return transposed_ ? down(gy) : up(gy);
    }

    [[nodiscard]] NeededByW needed_by_weights() const override { return NeededByW::saved_and_gy; }

    void backward_weights(const at::Tensor& gy, SavedTensors& saved,
                          std::span<const at::Tensor> leaf) const override {
        const at::Tensor& x = saved.tensors[0];
        if (!fits(x)) return aten_->backward_weights(gy, saved, leaf);
        const at::Tensor& big = transposed_ ? gy : x;
        const at::Tensor& small = transposed_ ? x : gy;
        winograd::weight_gradient(channels_last(big), channels_last(small), leaf[0]);
    }

private:
    [[nodiscard]] bool fits(const at::Tensor& x) const {
        return transposed_ || (x.size(2) % 2 == 0 && x.size(3) % 2 == 0);
    }
    [[nodiscard]] at::Tensor down(const at::Tensor& big) const {
        return winograd::down(channels_last(big), weight_);
    }
    [[nodiscard]] at::Tensor up(const at::Tensor& small) const {
        return winograd::up(channels_last(small), weight_);
    }

    bool transposed_;
    at::Tensor weight_;
    std::unique_ptr<Layer> aten_;
};

}  // namespace

bool uses_winograd(const net::ConvolutionGeometry& geometry, const at::Tensor& weight,
                   net::KernelSet kernels) {
    return kernels == net::KernelSet::fast && weight.device().is_cpu() && geometry.kernel == 4 &&
           geometry.stride == 2 && geometry.padding == 1 && geometry.in >= least_channels &&
           geometry.out >= least_channels && winograd::supports(weight.scalar_type());
}

std::unique_ptr<Layer> make_winograd_convolution(bool transposed, at::Tensor weight,
                                                 std::unique_ptr<Layer> aten) {
    return std::make_unique<WinogradConvolution>(transposed, std::move(weight), std::move(aten));
}

}  // namespace civitas::nn
