#include "civitas/nn/calibration.hpp"

#include "civitas/base/error.hpp"

#include <utility>

namespace civitas::nn {

at::Tensor Calibration::forward(const Stage& stage, at::Tensor x) {
    KeptByLayers kept;
    std::size_t next = 0;
    const auto add = [&](const at::Tensor& statistic) {
        if (next == sums_.size())
            sums_.push_back(at::Tensor(statistic.to(at::kDouble, false, true)));
        else
            sums_[next].add_(statistic);
        ++next;
    };
    for (std::size_t i = 0; i < stage.size(); ++i) {
        x = stage.forward_of(i, std::move(x), kept);
        for (const auto& [mean_C, variance_C] : kept.saved.back().statistics)
            add(mean_C), add(variance_C);
        kept.saved.back() = {};
    }
    ++micro_batches_;
    return x;
}

void Calibration::store(std::span<const at::Tensor> running) const {
    ensure(micro_batches_ > 0, "statistics are those of micro-batches");
    ensure(running.size() == sums_.size(), "one statistic per running one");
    for (std::size_t i = 0; i < sums_.size(); ++i)
        running[i].copy_(sums_[i].div(static_cast<double>(micro_batches_)));
}

}  // namespace civitas::nn
