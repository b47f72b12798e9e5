/// Batch norm over the micro-batches of several ranks. With the group's statistics in hand, F and
/// the local parts of B are those of batch norm with given statistics.
#include "batch_norm.hpp"
#include "layers.hpp"
#include "moments.hpp"

#include <ATen/ops/batch_norm_update_stats.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/native_batch_norm.h>
#include <ATen/ops/native_batch_norm_backward.h>
#include <algorithm>
#include <utility>

namespace civitas::nn {
namespace {

std::vector<double> on_host(const at::Tensor& values_C) {
    const auto host = values_C.to(at::kCPU, at::kDouble).contiguous();
    const auto* first = host.const_data_ptr<double>();
    return {first, first + host.numel()};
}

/// `values` times `factor`, where and in what type `like` lives.
at::Tensor tensor_like(const at::Tensor& like, std::span<const double> values, double factor = 1) {
    const auto host = at::empty({static_cast<std::int64_t>(values.size())}, at::kDouble);
    std::transform(values.begin(), values.end(), host.mutable_data_ptr<double>(),
                   [&](double v) { return v * factor; });
    return host.to(like.options());
}

class SyncBatchNormLayer : public BatchNormLayer {
public:
    SyncBatchNormLayer(const std::string& name, double epsilon, const LayerViews& views,
                       const comm::MpiCollectives& ranks)
        : BatchNormLayer(name, epsilon, views), ranks_(ranks) {}

    [[nodiscard]] Forward forward(const at::Tensor& x) const override {
        const auto group = combined_over(ranks_, moments_of(x));
        require_variance(static_cast<std::int64_t>(group.count), x);
        auto mean = tensor_like(weight(), group.mean);
        auto variance = tensor_like(weight(), group.squares, 1 / group.count);
        Statistics statistics{mean.clone(),
                              tensor_like(weight(), group.squares, 1 / (group.count - 1))};
        auto y = normalised(x, {mean, variance}, weight(), bias());
        return {y, {{x, std::move(mean), std::move(variance)}, {std::move(statistics)}}};
    }

    /// gx = weight / deviation * (gy - mean(gy) - x^ mean(gy x^)), means over the group.
    [[nodiscard]] at::Tensor backward_input(const at::Tensor& gy,
                                            SavedTensors& saved) const override {
        const auto x = saved.tensors[0];
        const Statistics given{saved.tensors[1], saved.tensors[2]};
        const auto none = at::empty({0}, weight().options());  // GPUs take no undefined tensor
        auto [gx, g_weight, g_bias] = at::native_batch_norm_backward(
            gy, x, weight(), given.mean_C, given.variance_C, none, none,
            /*train=*/false, epsilon(), {true, true, true});
        const auto means = group_means(values_per_channel(x), g_weight, g_bias);
        const auto scale = given.variance_C.add(epsilon()).rsqrt_().mul_(weight());
        gx.sub_(normalised(x, given, scale.mul(means.first), scale.mul(means.second)));
        saved.tensors = {std::move(g_weight), std::move(g_bias)};
        return channels_last(gx);
    }

private:
    [[nodiscard]] Moments moments_of(const at::Tensor& x) const {
        const auto running = blank();
        const auto [mean, variance] =
            at::batch_norm_update_stats(x, running.mean_C, running.variance_C, /*momentum=*/1);
        Moments m{static_cast<double>(values_per_channel(x)), on_host(mean), on_host(variance)};
        for (auto& v : m.squares) v *= m.count;
        return m;
    }

    [[nodiscard]] at::Tensor normalised(const at::Tensor& x, const Statistics& given,
                                        const at::Tensor& scale, const at::Tensor& shift) const {
        return std::get<0>(at::native_batch_norm(x, scale, shift, given.mean_C, given.variance_C,
                                                 /*training=*/false, /*momentum=*/0, epsilon()));
    }

    /// Means over the group of gy x^ and of gy.
    [[nodiscard]] std::pair<at::Tensor, at::Tensor> group_means(std::int64_t values,
                                                                const at::Tensor& g_weight,
                                                                const at::Tensor& g_bias) const {
        auto mine = on_host(g_weight);
        const auto shift = on_host(g_bias);
        const std::size_t channels = shift.size();
        mine.insert(mine.end(), shift.begin(), shift.end());
        mine.push_back(static_cast<double>(values));
        const auto sums = sums_over(ranks_, mine);
        const std::span<const double> all(sums);
        return {tensor_like(weight(), all.first(channels), 1 / sums.back()),
                tensor_like(weight(), all.subspan(channels, channels), 1 / sums.back())};
    }

    const comm::MpiCollectives& ranks_;
};

}  // namespace

std::unique_ptr<Layer> make_sync_batch_norm(const std::string& name, double epsilon,
                                            const LayerViews& views,
                                            const comm::MpiCollectives& ranks) {
    return std::make_unique<SyncBatchNormLayer>(name, epsilon, views, ranks);
}

}  // namespace civitas::nn
