#include "support/tensor.hpp"

// What a GPU computes of Adam, compiled for a CPU: no GPU is needed.
#include "gpu/adam_steps.hpp"

#include "civitas/updates/adam.hpp"
#include "support/apart.hpp"

using namespace civitas;
using namespace civitas::gpu;

namespace {

constexpr int steps = 4;

updates::AdamFactors factors(std::int64_t step) {
    return {.learning_rate = 1e-2,
            .beta1 = 0.5,
            .beta2 = 0.999,
            .epsilon = 1e-8,
            .weight_decay = 0.01,
            .mean_decay = 0.9,
            .steps = step};
}

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

/// Arrays of so many elements that begin so many after where packs may.
updates::UpdateArrays start(std::int64_t count, std::int64_t first, bool mean, bool copy) {
    at::manual_seed(7);
    const at::Tensor weights = at::randn({count});
    const auto placed = [&](const at::Tensor& values) {
        const at::Tensor place =
            at::empty({first + count}, values.options()).narrow(0, first, count);
        return place.copy_(values);
    };
    const auto zeros = [&] { return placed(at::zeros({count})); };
    return {placed(weights),
            zeros(),
            zeros(),
            zeros(),
            mean ? placed(weights) : at::Tensor(),
            copy ? placed(at::zeros({count}, at::kBFloat16)) : at::Tensor()};
}

template <class T>
T* numbers(const at::Tensor& array) {
    return array.defined() ? array.mutable_data_ptr<T>() : nullptr;
}

void adam_by_loop(const updates::UpdateArrays& a, const updates::AdamFactors& f) {
    AdamUpdate{{scales(f), static_cast<float>(f.mean_decay), static_cast<float>(1 - f.mean_decay),
                a.weights.numel(), numbers<float>(a.weights), numbers<float>(a.gradient),
                numbers<float>(a.first), numbers<float>(a.second), numbers<float>(a.mean),
                numbers<c10::BFloat16>(a.compute_copy)}}
        .run([](std::int64_t count, const auto& step) {
            for (std::int64_t i = count; i-- > 0;) step(i);
        });
}

template <class Update>
updates::UpdateArrays updated(const updates::UpdateArrays& arrays, Update update) {
    for (int step = 1; step <= steps; ++step) {
        at::manual_seed(100 + static_cast<std::uint64_t>(step));
        arrays.gradient.copy_(at::randn({arrays.weights.numel()}));
        update(arrays, factors(step));
    }
    return arrays;
}

}  // namespace

TEST_CASE(
    "a GPU's Adam is a CPU's but for roundings, and has the same bits wherever arrays begin") {
    for (const std::int64_t count : {1, 3, 4, 1003, 4096})
        for (const bool mean : {false, true})
            for (const bool copy : {false, true}) {
                const auto apart = [](const at::Tensor& a, const at::Tensor& b) {
                    return test::apart(a, b.to(at::kDouble));
                };
                INFO(count << " elements, mean " << mean << ", copy " << copy);
                const auto expected = updated(start(count, 0, mean, copy), updates::adam);
                const auto found = updated(start(count, 0, mean, copy), adam_by_loop);
                CHECK(apart(found.weights, expected.weights) < 1e-6);
                CHECK(apart(found.first, expected.first) < 1e-6);
                CHECK(apart(found.second, expected.second) < 1e-6);
                if (mean) CHECK(apart(found.mean, expected.mean) < 1e-6);
                if (copy) CHECK(found.compute_copy.equal(found.weights.to(at::kBFloat16)));
                for (const std::int64_t first : {1, 2, 4}) {
                    const auto elsewhere = updated(start(count, first, mean, copy), adam_by_loop);
                    CHECK(elsewhere.weights.equal(found.weights));
                    CHECK(elsewhere.first.equal(found.first));
                    CHECK(elsewhere.second.equal(found.second));
                    if (mean) CHECK(elsewhere.mean.equal(found.mean));
                    if (copy) CHECK(elsewhere.compute_copy.equal(found.compute_copy));
                }
            }
}
