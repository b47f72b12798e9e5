#include "civitas/base/error.hpp"
#include "civitas/nn/layer.hpp"
#include "civitas/nn/parallel.hpp"

#include <ATen/ops/cat.h>
#include <utility>
#include <vector>

namespace civitas::nn {
namespace {

/// Whether its memory goes when it goes, so that it may be written over before.
bool nobody_else_has(const at::Tensor& tensor) {
    return tensor.defined() && tensor.use_count() == 1 && tensor.storage().use_count() == 1 &&
           tensor.storage().unsafeGetStorageImpl()->resizable();
}

/// evaluate() of one sample at a time, on a CPU by one thread each.
at::Tensor each_alone(const Layer& layer, const at::Tensor& x) {
    std::vector<at::Tensor> samples = x.split(1);
    const auto evaluate = [&](std::int64_t i) {
        at::Tensor& sample = samples[static_cast<std::size_t>(i)];
        sample = layer.evaluate(sample);
    };
    if (x.is_cpu())
        one_thread_each(x.size(0), evaluate);
    else
        for (std::int64_t i = 0; i < x.size(0); ++i) evaluate(i);
    return at::cat(samples);
}

}  // namespace

void StorageBytes::add(const at::Tensor& tensor) {
    if (!tensor.defined()) return;
    const auto& storage = tensor.storage();
    if (seen_.insert(storage.unsafeGetStorageImpl()).second)
        bytes_ += static_cast<std::int64_t>(storage.nbytes());
}

void StorageBytes::add(const SavedTensors& saved) {
    for (const auto& tensor : saved.tensors) add(tensor);
    for (const auto& [mean_C, variance_C] : saved.statistics) add(mean_C), add(variance_C);
    for (const auto& kept : saved.inside) kept.add_to(*this);
}

std::int64_t SavedTensors::bytes() const {
    StorageBytes count;
    count.add(*this);
    return count.bytes();
}

std::int64_t KeptByLayers::bytes() const {
    StorageBytes count;
    add_to(count);
    return count.bytes();
}

void KeptByLayers::add_to(StorageBytes& count) const {
    for (const auto& s : saved) count.add(s);
    for (const auto& gy : gys) count.add(gy);
}

Stage::Stage(std::vector<std::unique_ptr<Layer>> layers)
    : layers_(std::move(layers)), first_with_weights_(0) {
    while (first_with_weights_ < size() &&
           layers_[first_with_weights_]->needed_by_weights() == NeededByW::nothing)
        ++first_with_weights_;
}

at::Tensor Stage::forward(at::Tensor x, Context& kept) const {
    for (std::size_t i = 0; i < size(); ++i) x = forward_of(i, std::move(x), kept);
    return x;
}

at::Tensor Stage::forward_of(std::size_t layer, at::Tensor x, Context& kept) const {
    if (layer == 0) {
        kept.saved.clear();
        kept.gys.assign(size(), {});
    }
    ensure(kept.saved.size() == layer, "layers of a stage come one after the other");
    const Layer& computed = *layers_.at(layer);
    auto [y, saved] = nobody_else_has(x) ? computed.forward_over(std::move(x), kept.samples)
                                         : computed.forward_of(x, kept.samples);
    kept.saved.push_back(std::move(saved));
    return std::move(y);
}

at::Tensor Stage::evaluate(at::Tensor x) const {
    for (const auto& layer : layers_) x = layer->evaluate(x);
    return x;
}

at::Tensor Stage::evaluate_each(at::Tensor x) const {
    for (const auto& layer : layers_)
        x = layer->evaluates_each() ? layer->evaluate(x) : each_alone(*layer, x);
    return x;
}

at::Tensor Stage::backward_input(at::Tensor gy, Context& kept, bool input_gradient,
                                 bool for_weights) const {
    for (std::size_t i = size(); i-- > 0;)
        gy = backward_input_of(i, std::move(gy), kept, input_gradient, for_weights);
    return gy;
}

at::Tensor Stage::backward_input_of(std::size_t layer, at::Tensor gy, Context& kept,
                                    bool input_gradient, bool for_weights) const {
    ensure(kept.saved.size() == size(), "F of a stage comes before its B");
    const Layer& computed = *layers_[layer];
    const bool skipped = layer <= first_with_weights_ && !input_gradient;
    const auto needed = for_weights ? computed.needed_by_weights() : NeededByW::nothing;
    if (needed == NeededByW::saved_and_gy || (needed == NeededByW::saved && skipped))
        kept.gys[layer] = gy;
    at::Tensor gx;
    if (!skipped)
        gx = nobody_else_has(gy) ? computed.backward_input_over(std::move(gy), kept.saved[layer])
                                 : computed.backward_input(gy, kept.saved[layer]);
    if (needed == NeededByW::nothing) kept.saved[layer] = {};
    return gx;
}

void Stage::backward_weights(std::size_t layer, Context& kept,
                             std::span<const at::Tensor> leaf) const {
    ensure(kept.saved.size() == size(), "F and B of a stage come before its W");
    layers_.at(layer)->backward_weights(kept.gys[layer], kept.saved[layer], leaf);
    kept.saved[layer] = {};
    kept.gys[layer].reset();
}

}  // namespace civitas::nn
