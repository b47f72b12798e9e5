#include "scales.hpp"

#include "civitas/base/error.hpp"

#include <utility>

namespace civitas::parallel {

namespace {

void add(Storages& all, const at::Tensor& tensor) {
    if (!tensor.defined()) return;
    const auto& storage = tensor.storage();
    all.emplace(storage.unsafeGetStorageImpl(), static_cast<std::int64_t>(storage.nbytes()));
}

void add(Storages& all, const nn::KeptByLayers& kept) {
    for (const nn::SavedTensors& saved : kept.saved) {
        for (const auto& tensor : saved.tensors) add(all, tensor);
        for (const auto& [mean_C, variance_C] : saved.statistics)
            add(all, mean_C), add(all, variance_C);
        for (const auto& inside : saved.inside) add(all, inside);
    }
    for (const auto& gy : kept.gys) add(all, gy);
}

}  // namespace

Storages storages_of(const at::Tensor& tensor) {
    Storages all;
    add(all, tensor);
    return all;
}

Storages storages_of(const nn::Stage::Context& kept) {
    Storages all;
    add(all, kept);
    return all;
}

void Scales::put(Role role, const schedule::Action& action, Storages now) {
    take(now);
    const bool made = holders_.emplace(std::pair(role, action), std::move(now)).second;
    ensure(made, "a holder is dropped before it is put again");
}

void Scales::drop(Role role, const schedule::Action& action) {
    const auto node = holders_.extract({role, action});
    if (node.empty()) return;
    leave(node.mapped());
}

void Scales::clear() {
    holders_.clear();
    storages_.clear();
    bytes_ = 0;
}

void Scales::take(const Storages& storages) {
    for (const auto& [storage, bytes] : storages) {
        ++looks_;
        Shared& shared = storages_[storage];
        if (shared.holders++ > 0) continue;
        shared.bytes = bytes;
        bytes_ += bytes;
    }
}

void Scales::leave(const Storages& storages) {
    for (const auto& entry : storages) {
        ++looks_;
        const auto shared = storages_.find(entry.first);
        if (--shared->second.holders > 0) continue;
        bytes_ -= shared->second.bytes;
        storages_.erase(shared);
    }
}

}  // namespace civitas::parallel
