#include "support/torch.hpp"

#include "civitas/optim/optimizer.hpp"

using namespace civitas;
using namespace civitas::optim;

namespace {

const OptimizerOptions options{.learning_rate = 1e-2, .beta1 = 0.5, .beta2 = 0.99, .epsilon = 1e-8};

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

/// Adam and SGD, with and without what is added to either.
std::vector<OptimizerOptions> variants() {
    OptimizerOptions adam = options, decayed = options;
    decayed.weight_decay = 0.1;
    OptimizerOptions sgd = options;
    sgd.kind = OptimizerKind::sgd;
    OptimizerOptions plain = sgd, decayed_sgd = sgd;
    plain.momentum = 0;
    decayed_sgd.weight_decay = 0.1;
    return {adam, decayed, sgd, plain, decayed_sgd};
}

std::unique_ptr<torch::optim::Optimizer> torch_optimizer(const at::Tensor& weights,
                                                         const OptimizerOptions& by) {
    if (by.kind == OptimizerKind::sgd)
        return std::make_unique<torch::optim::SGD>(std::vector{weights},
                                                   torch::optim::SGDOptions(by.learning_rate)
                                                       .momentum(by.momentum)
                                                       .weight_decay(by.weight_decay));
    return std::make_unique<torch::optim::Adam>(std::vector{weights},
                                                torch::optim::AdamOptions(by.learning_rate)
                                                    .betas({by.beta1, by.beta2})
                                                    .eps(by.epsilon)
                                                    .weight_decay(by.weight_decay));
}

double relative_error(const at::Tensor& a, const at::Tensor& b) {
    return ((a - b).abs().max() / b.abs().max()).item<double>();
}

}  // namespace

TEST_CASE("five updates equal those of torch::optim") {
    const auto layout = layout_of_blocks();
    REQUIRE(layout.size() > 2 * update_block);
    for (const auto& by : variants())
        for (const auto& [type, kernels] : {std::pair{at::kDouble, net::KernelSet::aten},
                                            {at::kFloat, net::KernelSet::aten},
                                            {at::kFloat, net::KernelSet::fast}}) {
            OptimizerOptions here = by;
            here.kernels = kernels;
            const ArenaShard weights = initial(layout, type);
            Optimizer optimizer(layout, net::all_of(layout), here, type, at::kCPU, std::nullopt);
            auto twin = weights.flat().clone().requires_grad_(true);
            const auto oracle = torch_optimizer(twin, by);
            for (std::int64_t step = 0; step < 5; ++step) {
                const auto gradient = gradient_of(step, weights);
                optimizer.step(weights, gradient);
                twin.mutable_grad() = gradient;
                oracle->step();
            }
            INFO(to_string(by.kind)
                 << ", momentum " << by.momentum << ", decay " << by.weight_decay);
            const double limit = type == at::kDouble ? 1e-12 : 1e-6;
            CHECK(relative_error(weights.flat(), twin.detach()) < limit);
            CHECK(optimizer.steps() == 5);
        }
}

TEST_CASE("the rate of a step follows the schedule as torch::optim::StepLR does") {
    const auto layout = layout_of_blocks();
    for (OptimizerOptions by : variants()) {
        by.schedule = {.shape = RateShape::step, .boundaries = {2, 4, 6}, .gamma = 0.3};
        const ArenaShard weights = initial(layout, at::kDouble);
        auto twin = weights.flat().clone().requires_grad_(true);
        const auto oracle = torch_optimizer(twin, by);
        torch::optim::StepLR rates(*oracle, 2, 0.3);
        rates.step();  // as the constructor does in Python, which counts from here
        std::vector<at::Tensor> kept;
        for (std::int64_t step = 0; step < 7; ++step) {
            // Goes on in an optimizer that was loaded: what counts is how many steps there were.
            Optimizer optimizer(layout, net::all_of(layout), by, at::kDouble, at::kCPU,
                                std::nullopt);
            optimizer.set_steps(step);
            for (std::size_t i = 0; i < kept.size(); ++i)
                optimizer.moments()[i].values.flat().copy_(kept[i]);
            const auto gradient = gradient_of(step, weights);
            optimizer.step(weights, gradient);
            kept.clear();
            for (const Moment& moment : optimizer.moments()) kept.push_back(moment.values.flat());
            twin.mutable_grad() = gradient;
            oracle->step();
            rates.step();
        }
        CHECK(relative_error(weights.flat(), twin.detach()) < 1e-12);
    }
}

TEST_CASE("what an optimizer keeps has the names of torch.optim") {
    const auto names = [](const OptimizerOptions& by) {
        const auto all = by.moments();
        return std::vector<std::string>(all.begin(), all.end());
    };
    CHECK(names({}) == std::vector<std::string>{"exp_avg", "exp_avg_sq"});
    CHECK(names({.kind = OptimizerKind::sgd}) == std::vector<std::string>{"momentum_buffer"});
    CHECK(names({.kind = OptimizerKind::sgd, .momentum = 0}).empty());
}

TEST_CASE("cutting into blocks does not change bits, nor do threads") {
    const auto layout = layout_of_blocks();
    const ArenaShard weights = initial(layout, at::kFloat);
    Optimizer adam(layout, net::all_of(layout), options, at::kFloat, at::kCPU, std::nullopt);
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
    CHECK(at::equal(adam.moments()[0].values.flat(), first));
    CHECK(at::equal(adam.moments()[1].values.flat(), second));
}

TEST_CASE("the mean follows the weights, quickly at first, and starts as their copy") {
    const auto layout = layout_of_blocks();
    const ArenaShard weights = initial(layout, at::kDouble);
    Optimizer adam(layout, net::all_of(layout), options, at::kDouble, at::kCPU, 0.25);
    auto mean = weights.flat().clone();
    // Of the first updates (1 + n) / (10 + n) where that is below the limit.
    std::int64_t step = 0;
    for (const double decay : {2.0 / 11, 3.0 / 12, 0.25, 0.25}) {
        adam.step(weights, gradient_of(step++, weights));
        mean = decay * mean + (1 - decay) * weights.flat();
    }
    CHECK(relative_error(adam.mean()->flat(), mean) < 1e-15);
    CHECK(Optimizer(layout, net::all_of(layout), options, at::kDouble, at::kCPU, std::nullopt)
              .mean() == nullptr);
}

TEST_CASE("a loaded state goes on as if it had never stopped") {
    const auto layout = layout_of_blocks();
    const ArenaShard weights = initial(layout, at::kFloat);
    Optimizer adam(layout, net::all_of(layout), options, at::kFloat, at::kCPU, 0.99);
    adam.step(weights, gradient_of(0, weights));
    const ArenaShard copy(layout, weights.flat().clone());
    Optimizer loaded(layout, net::all_of(layout), options, at::kFloat, at::kCPU, 0.99);
    loaded.moments()[0].values.flat().copy_(adam.moments()[0].values.flat());
    loaded.moments()[1].values.flat().copy_(adam.moments()[1].values.flat());
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
    Optimizer adam(layout, net::all_of(layout), options, at::kFloat, at::kCPU, std::nullopt);
    adam.step(weights, gradient_of(0, weights), compute.flat());
    CHECK(at::equal(compute.flat(), weights.flat().to(at::kBFloat16)));
    CHECK(compute.view(0).sizes() == weights.rows()[0].view.sizes());
}
