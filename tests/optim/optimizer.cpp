#include "support/torch.hpp"

#include "civitas/optim/optimizer.hpp"

using namespace civitas;
using namespace civitas::optim;

namespace {

constexpr AdamOptions options{.learning_rate = 1e-2, .beta1 = 0.5, .beta2 = 0.99, .epsilon = 1e-8};

/// One parameter of more than two blocks (the last one short), and a small one.
net::ArenaLayout layout_of_blocks() {
    return net::ArenaLayout({{"w.weight", {2, 21001, 2, 2}, net::Initializer::normal_around_zero},
                             {"b.bias", {5}, net::Initializer::normal_around_one}});
}

at::Tensor gradient_of(std::int64_t step, const ArenaShard& like) {
    torch::manual_seed(static_cast<std::uint64_t>(step));
    return at::randn(like.flat().sizes(), like.flat().options());
}

ArenaShard initial(const net::ArenaLayout& layout, at::ScalarType type) {
    ArenaShard weights(layout, net::all_of(layout), type, at::kCPU);
    initialise(weights, layout, Seed{3}, "net");
    return weights;
}

double relative_error(const at::Tensor& a, const at::Tensor& b) {
    return ((a - b).abs().max() / b.abs().max()).item<double>();
}

}  // namespace

TEST_CASE("five updates equal those of torch::optim::Adam") {
    const auto layout = layout_of_blocks();
    REQUIRE(layout.size() > 2 * adam_block);
    for (const auto& [type, kernels] : {std::pair{at::kDouble, net::KernelSet::aten},
                                        {at::kFloat, net::KernelSet::aten},
                                        {at::kFloat, net::KernelSet::fast}}) {
        const ArenaShard weights = initial(layout, type);
        auto by = options;
        by.kernels = kernels;
        Adam adam(layout, net::all_of(layout), by, type, at::kCPU, std::nullopt);
        auto twin = weights.flat().clone().requires_grad_(true);
        torch::optim::Adam oracle({twin}, torch::optim::AdamOptions(options.learning_rate)
                                              .betas({options.beta1, options.beta2})
                                              .eps(options.epsilon));
        for (std::int64_t step = 0; step < 5; ++step) {
            const auto gradient = gradient_of(step, weights);
            adam.step(weights, gradient);
            twin.mutable_grad() = gradient;
            oracle.step();
        }
        const double limit = type == at::kDouble ? 1e-12 : 1e-6;
        CHECK(relative_error(weights.flat(), twin.detach()) < limit);
        CHECK(adam.steps() == 5);
    }
}

TEST_CASE("cutting into blocks does not change bits, nor do threads") {
    const auto layout = layout_of_blocks();
    const ArenaShard weights = initial(layout, at::kFloat);
    Adam adam(layout, net::all_of(layout), options, at::kFloat, at::kCPU, std::nullopt);
    const auto twin = weights.flat().clone();
    const auto first = at::zeros_like(twin);
    const auto second = at::zeros_like(twin);
    for (std::int64_t step = 1; step <= 3; ++step) {
        const auto gradient = gradient_of(step, weights);
        at::set_num_threads(step % 2 == 0 ? 2 : 1);
        adam.step(weights, gradient);
        at::set_num_threads(1);
        at::_fused_adam_({twin}, {gradient}, {first}, {second}, {},
                         {at::full({}, static_cast<double>(step))}, options.learning_rate,
                         options.beta1, options.beta2, 0.0, options.epsilon, false, false);
    }
    CHECK(at::equal(weights.flat(), twin));
    CHECK(at::equal(adam.first_moment().flat(), first));
    CHECK(at::equal(adam.second_moment().flat(), second));
}

TEST_CASE("the mean follows the weights and starts as their copy") {
    const auto layout = layout_of_blocks();
    const ArenaShard weights = initial(layout, at::kDouble);
    Adam adam(layout, net::all_of(layout), options, at::kDouble, at::kCPU, 0.9);
    auto mean = weights.flat().clone();
    for (std::int64_t step = 0; step < 3; ++step) {
        adam.step(weights, gradient_of(step, weights));
        mean = 0.9 * mean + (1 - 0.9) * weights.flat();
    }
    CHECK(relative_error(adam.mean()->flat(), mean) < 1e-15);
    CHECK(Adam(layout, net::all_of(layout), options, at::kDouble, at::kCPU, std::nullopt).mean() ==
          nullptr);
}

TEST_CASE("a loaded state goes on as if it had never stopped") {
    const auto layout = layout_of_blocks();
    const ArenaShard weights = initial(layout, at::kFloat);
    Adam adam(layout, net::all_of(layout), options, at::kFloat, at::kCPU, 0.99);
    adam.step(weights, gradient_of(0, weights));
    const ArenaShard copy(layout, weights.flat().clone());
    Adam loaded(layout, net::all_of(layout), options, at::kFloat, at::kCPU, 0.99);
    loaded.first_moment().flat().copy_(adam.first_moment().flat());
    loaded.second_moment().flat().copy_(adam.second_moment().flat());
    loaded.mean()->flat().copy_(adam.mean()->flat());
    loaded.set_steps(adam.steps());
    adam.step(weights, gradient_of(1, weights));
    loaded.step(copy, gradient_of(1, weights));
    CHECK(at::equal(copy.flat(), weights.flat()));
    CHECK(at::equal(loaded.mean()->flat(), adam.mean()->flat()));
}

TEST_CASE("the compute copy is the rounded weights") {
    const auto layout = layout_of_blocks();
    const ArenaShard weights = initial(layout, at::kFloat);
    const Arena compute(layout, at::kBFloat16, at::kCPU);
    Adam adam(layout, net::all_of(layout), options, at::kFloat, at::kCPU, std::nullopt);
    adam.step(weights, gradient_of(0, weights), compute.flat());
    CHECK(at::equal(compute.flat(), weights.flat().to(at::kBFloat16)));
    CHECK(compute.view(0).sizes() == weights.rows()[0].view.sizes());
}
