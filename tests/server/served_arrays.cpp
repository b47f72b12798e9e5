#include "support/tensor.hpp"

#include "civitas/base/error.hpp"
#include "civitas/server/served_arrays.hpp"

#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/stack.h>

using namespace civitas;
using server::ServedArrays;
using server::WorkItem;

namespace {

constexpr std::int64_t elements = 64;
const net::ArenaLayout layout({{.name = "weight", .shape = {elements}}});

ServedArrays served(std::int64_t parts, const optim::OptimizerOptions& optimizer = {}) {
    return {layout, net::all_of(layout), optimizer, 0.9, at::kFloat, parts};
}

/// Of a part, for two passes.
at::Tensor gradient(std::int64_t part) {
    const auto of_pass = [&](double scale) {
        return at::linspace(-scale, 0.3 * static_cast<double>(part + 1), elements, at::kFloat);
    };
    return at::stack({of_pass(1), of_pass(0.1)});
}

}  // namespace

TEST_CASE(
    "A server updates when all parts have come, in whatever order, by their sum in tree order") {
    ServedArrays arrays = served(4);
    CHECK(arrays.version() < 0);
    CHECK(arrays.most_waiting() == 4);  // as many as an update will sum, though none has come
    arrays.state()[0].fill_(0.5);
    arrays.state()[3].fill_(0.5);
    arrays.load(0);
    for (const std::int64_t part : {2, 0, 3}) {
        CHECK(arrays.put({0, part}, gradient(part)));
        CHECK_FALSE(arrays.update());
    }
    CHECK_FALSE(arrays.put({0, 2}, at::full({2, elements}, 1e6)));  // the first one counts
    CHECK(arrays.put({1, 0}, gradient(7)));                         // waits for its turn
    CHECK(arrays.put({0, 1}, gradient(1)));
    CHECK(arrays.update());
    CHECK(arrays.version() == 1);
    CHECK_FALSE(arrays.update());
    CHECK_FALSE(arrays.put({0, 1}, gradient(1)));  // too late
    CHECK(arrays.most_waiting() == 5);             // four of a step, one of the next

    const optim::ArenaShard weights(layout, net::all_of(layout), at::kFloat, at::kCPU);
    weights.flat().fill_(0.5);
    optim::Optimizer adam(layout, net::all_of(layout), {}, at::kFloat, at::kCPU, 0.9);
    const auto sum = [](std::int64_t pass) {
        return (gradient(0)[pass] + gradient(1)[pass]) + (gradient(2)[pass] + gradient(3)[pass]);
    };
    adam.step(weights, sum(0) + sum(1));
    CHECK(at::equal(arrays.weights(), weights.flat()));
    CHECK(at::equal(arrays.state()[1], adam.moments()[0].values.flat()));
    CHECK(at::equal(arrays.state()[2], adam.moments()[1].values.flat()));
    CHECK(at::equal(arrays.state()[3], adam.mean()->flat()));
}

TEST_CASE("A server updates by SGD, with the rate of the step that it updates") {
    const optim::OptimizerOptions sgd{
        .kind = OptimizerKind::sgd, .learning_rate = 0.1, .schedule = {.warmup_steps = 5}};
    ServedArrays arrays = served(1, sgd);
    REQUIRE(arrays.state().size() == 3);  // weights, momentum, mean
    arrays.load(2);
    arrays.state()[1].fill_(0.25);
    CHECK(arrays.put({2, 0}, gradient(0)));
    CHECK(arrays.update());
    const at::Tensor sum = gradient(0)[0] + gradient(0)[1];
    const at::Tensor momentum = 0.9 * at::full({elements}, 0.25) + sum;
    CHECK((arrays.state()[1] - momentum).abs().max().item<float>() < 1e-6F);
    CHECK((arrays.weights() + 0.1 * 3 / 5 * momentum).abs().max().item<float>() < 1e-6F);
}

TEST_CASE("A server goes on after the updates that its state has behind it") {
    ServedArrays arrays = served(1);
    arrays.load(41);
    CHECK_FALSE(arrays.put({40, 0}, gradient(0)));
    CHECK(arrays.put({41, 0}, gradient(0)));
    CHECK(arrays.update());
    CHECK(arrays.version() == 42);
}

TEST_CASE("A sum that is not finite is named with its step, and changes nothing") {
    ServedArrays arrays = served(2);
    arrays.load(6);
    const at::Tensor before = arrays.weights().clone();
    CHECK(arrays.put({6, 0}, at::full({1, elements}, 3e38, at::kFloat)));
    CHECK(arrays.put({6, 1}, at::full({1, elements}, 3e38, at::kFloat)));
    CHECK_THROWS_WITH(arrays.update(), Catch::Contains("not finite in step 7"));
    CHECK(at::equal(arrays.weights(), before));
}
