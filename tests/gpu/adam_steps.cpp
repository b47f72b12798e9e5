#include "support/tensor.hpp"

// What a GPU computes of Adam, compiled for a CPU: no GPU is needed.
#include "gpu/adam_steps.hpp"

#include "support/adam.hpp"

using namespace civitas;
using namespace civitas::gpu;

namespace {

AdamScales scales(const updates::AdamFactors& f) {
    const auto narrow = [](double value) { return static_cast<float>(value); };
    const auto t = static_cast<double>(f.steps);
    return {narrow(f.weight_decay),
            narrow(1 - f.beta1),
            narrow(f.beta2),
            narrow(1 - f.beta2),
            narrow(f.epsilon),
            narrow(f.learning_rate / (1 - std::pow(f.beta1, t))),
            narrow(1 / std::sqrt(1 - std::pow(f.beta2, t)))};
}

template <class T>
T* numbers(const at::Tensor& array) {
    return array.defined() ? array.mutable_data_ptr<T>() : nullptr;
}

void adam_by_loop(const updates::UpdateArrays& a, const updates::AdamFactors& f) {
    AdamUpdate{{scales(f), static_cast<float>(f.mean_decay), static_cast<float>(1 - f.mean_decay),
                a.weights.numel(), numbers<float>(a.weights), numbers<float>(a.gradient),
                numbers<float>(a.first), numbers<float>(a.second), numbers<float>(a.mean),
                numbers<c10::BFloat16>(a.compute_copy), numbers<double>(a.condition)}}
        .run([](std::int64_t count, const auto& step) {
            for (std::int64_t i = count; i-- > 0;) step(i);
        });
}

}  // namespace

TEST_CASE(
    "a GPU's Adam is a CPU's but for roundings, and has the same bits wherever arrays begin") {
    for (const std::int64_t count : {1, 3, 4, 1003, 4096})
        for (const bool mean : {false, true})
            for (const bool copy : {false, true})
                test::check_adam({count, mean, copy}, adam_by_loop, at::kCPU, {1, 2, 4});
}

TEST_CASE("a GPU's Adam changes nothing where its condition is not finite") {
    test::check_condition(adam_by_loop, at::kCPU);
}
