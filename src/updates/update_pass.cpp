#include "update_pass.hpp"

#include "civitas/base/error.hpp"

namespace civitas::updates {
namespace {

template <class T>
T* numbers_of(const at::Tensor& array) {
    return array.defined() ? array.mutable_data_ptr<T>() : nullptr;
}

}  // namespace

UpdateRun run_of(const UpdateArrays& a) {
    for (const auto& array : {a.weights, a.gradient, a.first, a.second, a.mean, a.compute_copy})
        ensure(!array.defined() || (array.is_contiguous() && array.numel() == a.weights.numel()),
               "arrays of an update have one length");
    return {a.weights.numel(),
            numbers_of<float>(a.weights),
            numbers_of<float>(a.gradient),
            numbers_of<float>(a.first),
            numbers_of<float>(a.second),
            numbers_of<float>(a.mean),
            numbers_of<c10::BFloat16>(a.compute_copy)};
}

MeanScales mean_scales(double decay) {
    return {static_cast<float>(decay), static_cast<float>(1 - decay)};
}

void follow_weights(const UpdateArrays& a, double mean_decay) {
    if (a.mean.defined()) a.mean.mul_(mean_decay).add_(a.weights, 1 - mean_decay);
    if (a.compute_copy.defined()) a.compute_copy.copy_(a.weights);
}

}  // namespace civitas::updates
