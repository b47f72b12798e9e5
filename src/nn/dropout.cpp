#include "layers.hpp"

#include "civitas/base/hash.hpp"
#include "civitas/random/stream.hpp"

#include <ATen/ops/empty.h>
#include <utility>

namespace civitas::nn {
namespace {

/// A value is kept where the uniform number of its element in the whole layer's sample, in
/// PyTorch's order, is p or more. Keeps a byte for each value.
class DropoutLayer : public Layer {
public:
    DropoutLayer(const std::string& name, double p, net::LayerPart part)
        : name_(name_hash(name)), p_(p), part_(part) {}

    [[nodiscard]] Forward forward(const at::Tensor& x) const override { return forward_of(x, {}); }
    [[nodiscard]] Forward forward_of(const at::Tensor& x,
                                     const SampleRange& samples) const override {
        auto mask = mask_of(x, samples);
        auto y = applied(x, mask);
        return {std::move(y), {{std::move(mask)}, {}}};
    }
    [[nodiscard]] at::Tensor evaluate(const at::Tensor& x) const override { return x; }
    [[nodiscard]] at::Tensor backward_input(const at::Tensor& gy,
                                            SavedTensors& saved) const override {
        return applied(gy, saved.tensors[0]);
    }
    [[nodiscard]] NeededByW needed_by_weights() const override { return NeededByW::nothing; }
    void backward_weights(const at::Tensor& /*gy*/, SavedTensors& /*saved*/,
                          std::span<const at::Tensor> /*leaf*/) const override {}

private:
    [[nodiscard]] at::Tensor applied(const at::Tensor& values, const at::Tensor& mask) const {
        return values.mul(mask).mul_(1 / (1 - p_));
    }

    [[nodiscard]] at::Tensor mask_of(const at::Tensor& x, const SampleRange& samples) const {
        const auto mask = at::empty(x.sizes(), at::kBool);
        const std::int64_t values = x.numel() / x.size(0);
        const bool cut = part_.cut == net::ChannelSplit::channels;
        const auto first = static_cast<std::uint64_t>(cut ? part_.part * values : 0);
        bool* kept = mask.mutable_data_ptr<bool>();
        for (std::int64_t sample = 0; sample < x.size(0); ++sample) {
            const auto number = static_cast<std::uint64_t>(index(samples.first) + sample);
            const RandomStream stream(samples.seed, Purpose::dropout,
                                      {.major = number, .minor = name_});
            for (std::int64_t i = 0; i < values; ++i)
                *kept++ = stream.uniform(first + static_cast<std::uint64_t>(i)) >= p_;
        }
        return mask.contiguous(at::MemoryFormat::ChannelsLast).to(x.device());
    }

    std::uint64_t name_;
    double p_;
    net::LayerPart part_;
};

}  // namespace

std::unique_ptr<Layer> make_dropout(const std::string& name, double p, net::LayerPart part) {
    return std::make_unique<DropoutLayer>(name, p, part);
}

}  // namespace civitas::nn
