#include "civitas/server/served_arrays.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/tree.hpp"

#include <algorithm>

namespace civitas::server {

ServedArrays::ServedArrays(const net::ArenaLayout& layout, const net::ArenaRuns& own,
                           const optim::OptimizerOptions& optimizer, double ema,
                           at::ScalarType type, std::int64_t parts)
    : weights_(layout, own, type, at::kCPU),
      optimizer_(layout, own, optimizer, type, at::kCPU,
                 ema > 0 ? std::optional(ema) : std::nullopt),
      parts_(parts),
      most_waiting_(parts) {}

bool ServedArrays::put(WorkItem item, PartGradient passes_PE) {
    if (item.step < version_ ||
        !waiting_[item.step].emplace(item.part, std::move(passes_PE)).second)
        return false;
    std::int64_t waiting = 0;
    for (const auto& step : waiting_) waiting += std::ssize(step.second);
    most_waiting_ = std::max(most_waiting_, waiting);
    return true;
}

bool ServedArrays::update() {
    const auto step = waiting_.find(version_);
    if (step == waiting_.end() || std::ssize(step->second) < parts_) return false;
    const at::Tensor sums = tree_sum(
        0, parts_, [&](std::int64_t part) { return step->second.at(part); },
        [](const at::Tensor& left, const at::Tensor& right) { return left.add_(right); });
    const at::Tensor gradient = sums[0];
    for (std::int64_t pass = 1; pass < sums.size(0); ++pass) gradient.add_(sums[pass]);
    if (!optim::all_finite(gradient))
        throw Error(text("a sum of finite gradients is not finite in step ", version_ + 1),
                    Hint{"a lower --generator-lr or --discriminator-lr"});
    optimizer_.step(weights_, gradient);
    waiting_.erase(step);
    ++version_;
    return true;
}

std::vector<at::Tensor> ServedArrays::state() const {
    std::vector<at::Tensor> all{weights_.flat()};
    for (const optim::Moment& moment : optimizer_.moments()) all.push_back(moment.values.flat());
    if (optimizer_.mean() != nullptr) all.push_back(optimizer_.mean()->flat());
    return all;
}

void ServedArrays::load(std::int64_t version) {
    version_ = version;
    optimizer_.set_steps(version);
    waiting_.clear();
}

}  // namespace civitas::server
