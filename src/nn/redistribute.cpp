/// Redistributions of activations between the ranks of the tensor axis. A channels-last activation
/// is a matrix of pixels by channels, so a slice of its channels is packed before it travels.
#include "layers.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/tree.hpp"

#include <ATen/ops/empty.h>

namespace civitas::nn {
namespace {

std::vector<Range> shares(std::int64_t elements, int parts) {
    std::vector<Range> all;
    for (int part = 0; part < parts; ++part) all.push_back(block_range(elements, part, parts));
    return all;
}

/// Matrix of pixels by channels.
at::Tensor pixels_of(const at::Tensor& x_BCHW) {
    return x_BCHW.permute({0, 2, 3, 1}).reshape({-1, x_BCHW.size(1)});
}

at::Tensor image_of(const at::Tensor& pixels, const at::Tensor& like_BCHW) {
    return pixels.view({like_BCHW.size(0), like_BCHW.size(2), like_BCHW.size(3), pixels.size(1)})
        .permute({0, 3, 1, 2});
}

/// Sum of the pieces in tree order; of bf16 in fp32, rounded once.
at::Tensor sum_of(const std::vector<at::Tensor>& pieces) {
    const auto type = pieces.front().scalar_type();
    const auto wide = type == at::kBFloat16 ? at::kFloat : type;
    return tree_sum(
               0, std::ssize(pieces),
               [&](std::int64_t i) { return pieces[static_cast<std::size_t>(i)].to(wide); },
               [](const at::Tensor& left, const at::Tensor& right) { return left.add(right); })
        .to(type);
}

/// What an activation's ranks make of it together.
class Channels {
public:
    Channels(const comm::TensorCollectives& ranks, const at::Tensor& x) : ranks_(ranks), x_(x) {}

    [[nodiscard]] at::Tensor own_slice() const {
        const std::int64_t count = x_.size(1) / ranks_.size();
        return x_.narrow(1, index(ranks_.rank()) * count, count)
            .contiguous(at::MemoryFormat::ChannelsLast);
    }

    /// Slices of all ranks, one after the other.
    [[nodiscard]] at::Tensor gather() const {
        const at::Tensor mine = pixels_of(x_);
        const at::Tensor all = at::empty({ranks_.size(), mine.size(0), mine.size(1)}, x_.options());
        all.select(0, index(ranks_.rank())).copy_(mine);
        ranks_.all_gather_slices(all.view({-1}), shares(all.numel(), ranks_.size()));
        return image_of(all.transpose(0, 1).contiguous().view({mine.size(0), -1}), x_);
    }

    /// The own slice of the sum over ranks.
    [[nodiscard]] at::Tensor sum_scatter() const {
        const std::int64_t count = x_.size(1) / ranks_.size();
        const at::Tensor by_owner =
            pixels_of(x_).view({-1, ranks_.size(), count}).transpose(0, 1).contiguous();
        const at::Tensor mine = sum_of(
            ranks_.all_to_all_slices(by_owner.view({-1}), shares(by_owner.numel(), ranks_.size())));
        return image_of(mine.view({-1, count}), x_);
    }

    /// The sum over ranks, the same bits on all: every element is added by one of them.
    [[nodiscard]] at::Tensor sum() const {
        const at::Tensor flat = pixels_of(x_).reshape({-1}).clone();
        const auto slices = shares(flat.numel(), ranks_.size());
        const Range mine = slices.at(static_cast<std::size_t>(index(ranks_.rank())));
        const auto pieces = ranks_.all_to_all_slices(flat, slices);
        if (mine.count > 0) flat.narrow(0, mine.begin, mine.count).copy_(sum_of(pieces));
        ranks_.all_gather_slices(flat, slices);
        return image_of(flat.view({-1, x_.size(1)}), x_);
    }

private:
    const comm::TensorCollectives& ranks_;
    const at::Tensor& x_;
};

class ExchangeLayer : public Layer {
public:
    ExchangeLayer(const net::Redistribute& exchange, const comm::TensorCollectives& ranks)
        : exchange_(exchange), ranks_(ranks) {}

    [[nodiscard]] Forward forward(const at::Tensor& x) const override { return {evaluate(x), {}}; }
    [[nodiscard]] at::Tensor evaluate(const at::Tensor& x) const override {
        return exchanged(x, exchange_.before.value, exchange_.after.value);
    }
    [[nodiscard]] bool evaluates_each() const override { return true; }
    [[nodiscard]] at::Tensor backward_input(const at::Tensor& gy,
                                            SavedTensors& /*saved*/) const override {
        return exchanged(gy, exchange_.after.gradient, exchange_.before.gradient);
    }
    [[nodiscard]] NeededByW needed_by_weights() const override { return NeededByW::nothing; }
    void backward_weights(const at::Tensor& /*gy*/, SavedTensors& /*saved*/,
                          std::span<const at::Tensor> /*leaf*/) const override {}

private:
    [[nodiscard]] at::Tensor exchanged(const at::Tensor& x, net::Placement from,
                                       net::Placement to) const {
        if (from == to) return x;
        ensure(to != net::Placement::partial,
               "nobody asks for summands of what is whole or divided");
        const Channels channels(ranks_, x);
        if (from == net::Placement::partial)
            return to == net::Placement::shard ? channels.sum_scatter() : channels.sum();
        return from == net::Placement::shard ? channels.gather() : channels.own_slice();
    }

    net::Redistribute exchange_;
    const comm::TensorCollectives& ranks_;
};

}  // namespace

std::unique_ptr<Layer> make_exchange(const net::Redistribute& exchange,
                                     const comm::TensorCollectives& ranks) {
    return std::make_unique<ExchangeLayer>(exchange, ranks);
}

}  // namespace civitas::nn
