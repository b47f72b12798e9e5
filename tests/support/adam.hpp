#pragma once
/// Adam of one pass over arrays that begin anywhere in memory, for kernels of a GPU and what they
/// compute on a CPU. Include after Catch2.
#include "civitas/updates/adam.hpp"
#include "support/apart.hpp"

#include <ATen/Context.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>
#include <cmath>
#include <initializer_list>

namespace civitas::test {

struct AdamCase {
    std::int64_t count = 0;
    bool mean = false, copy = false;
};

/// Some steps of Adam by `update`, of elements that begin where `first` says.
template <class Update>
updates::UpdateArrays after_adam(const AdamCase& c, const Update& update, at::Device device,
                                 std::int64_t first) {
    at::manual_seed(7);
    const auto placed = [&](const at::Tensor& values) {
        return at::zeros({first + c.count}, values.options().device(device))
            .narrow(0, first, c.count)
            .copy_(values);
    };
    const at::Tensor weights = at::randn({c.count}), zeros = at::zeros({c.count});
    const updates::UpdateArrays arrays{placed(weights),
                                       placed(zeros),
                                       placed(zeros),
                                       placed(zeros),
                                       c.mean ? placed(weights) : at::Tensor(),
                                       c.copy ? placed(zeros.to(at::kBFloat16)) : at::Tensor()};
    for (std::int64_t step = 1; step <= 5; ++step) {
        arrays.gradient.copy_(at::randn({c.count}));
        update(arrays, {.learning_rate = 1e-2,
                        .beta1 = 0.5,
                        .beta2 = 0.999,
                        .epsilon = 1e-8,
                        .weight_decay = 0.01,
                        .mean_decay = 0.9,
                        .steps = step});
    }
    return arrays;
}

/// Five steps by `update` under a condition that is finite until the third and not from then on.
template <class Update>
void check_condition(const Update& update, at::Device device) {
    const AdamCase c{.count = 1003, .copy = true};
    for (const double bad : {INFINITY, -INFINITY, NAN}) {
        const at::Tensor condition = at::zeros({}, at::TensorOptions(device).dtype(at::kDouble));
        updates::UpdateArrays after_two;
        const auto conditional = [&](updates::UpdateArrays arrays,
                                     const updates::AdamFactors& factors) {
            if (factors.steps == 3) {
                condition.fill_(bad);
                after_two = {arrays.weights.clone(), {}, arrays.first.clone(),
                             arrays.second.clone(),  {}, arrays.compute_copy.clone()};
            }
            arrays.condition = condition;
            update(arrays, factors);
        };
        const auto made = after_adam(c, conditional, device, 0);
        CHECK(made.weights.equal(after_two.weights));
        CHECK(made.first.equal(after_two.first));
        CHECK(made.second.equal(after_two.second));
        CHECK(made.compute_copy.equal(after_two.compute_copy));
        CHECK_FALSE(made.weights.equal(after_adam(c, update, device, 0).weights));
    }
}

/// `update` on the device is a CPU's Adam but for roundings, and has the same bits wherever arrays
/// begin.
template <class Update>
void check_adam(const AdamCase& c, const Update& update, at::Device device,
                std::initializer_list<std::int64_t> begins) {
    INFO(c.count << " elements, mean " << c.mean << ", copy " << c.copy);
    const auto apart_on_cpu = [](const at::Tensor& a, const at::Tensor& b) {
        return apart(a.cpu(), b.to(at::kDouble));
    };
    const auto expected = after_adam(c, updates::adam, at::kCPU, 0);
    const auto found = after_adam(c, update, device, 0);
    CHECK(apart_on_cpu(found.weights, expected.weights) < 1e-6);
    CHECK(apart_on_cpu(found.first, expected.first) < 1e-6);
    CHECK(apart_on_cpu(found.second, expected.second) < 1e-6);
    if (c.mean) CHECK(apart_on_cpu(found.mean, expected.mean) < 1e-6);
    if (c.copy) CHECK(found.compute_copy.equal(found.weights.to(at::kBFloat16)));
    for (const std::int64_t first : begins) {
        const auto elsewhere = after_adam(c, update, device, first);
        CHECK(elsewhere.weights.equal(found.weights));
        CHECK(elsewhere.first.equal(found.first));
        CHECK(elsewhere.second.equal(found.second));
        if (c.mean) CHECK(elsewhere.mean.equal(found.mean));
        if (c.copy) CHECK(elsewhere.compute_copy.equal(found.compute_copy));
    }
}

}  // namespace civitas::test
