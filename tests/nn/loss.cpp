#include "oracle.hpp"

#include "civitas/base/error.hpp"
#include "civitas/nn/loss.hpp"

using namespace civitas;
using namespace civitas::nn;
using namespace civitas::nn::test;
using Catch::Contains;

namespace {

/// The same loss from torch::nn, in double, for a mean over the logits given.
at::Tensor oracle(net::LossKind kind, Target target, double smoothing, const at::Tensor& logits) {
    namespace F = torch::nn::functional;
    const double wanted = target == Target::real ? smoothing : target == Target::generator ? 1 : 0;
    const auto goal = torch::full_like(logits, wanted);
    if (kind == net::LossKind::bce) return torch::nn::BCEWithLogitsLoss()(logits, goal);
    if (kind == net::LossKind::lsgan) return torch::nn::MSELoss()(logits, goal);
    if (target == Target::generator) return -logits.mean();
    const auto away = torch::full_like(logits, -1);
    return torch::nn::HingeEmbeddingLoss()(target == Target::real ? logits : -logits, away);
}

const std::vector<net::LossKind> kinds{net::LossKind::bce, net::LossKind::lsgan,
                                       net::LossKind::hinge};
const std::vector<Target> targets{Target::real, Target::fake, Target::generator};

/// By a loop over the logits, and as it is done on a device.
const std::vector ways{&loss, &loss_by_aten};

double value_of(const Loss& of) { return of.figures[0].item<double>(); }
double probability_of(const Loss& of) { return of.figures[1].item<double>(); }

}  // namespace

TEST_CASE("losses and their gradients are those of torch::nn with autograd") {
    torch::manual_seed(1);
    for (const auto kind : kinds) {
        for (const auto target : targets) {
            for (const double smoothing : {1.0, 0.9}) {
                const auto logits = torch::randn({6, 1, 1, 1}, at::kDouble) * 4;
                auto input = logits.clone().requires_grad_();
                const auto expected = oracle(kind, target, smoothing, input);
                expected.backward();
                INFO(to_string(kind) << " target " << static_cast<int>(target));
                for (const auto& way : ways) {
                    const auto ours = way({kind, smoothing}, target, logits, 6);
                    CHECK(value_of(ours) ==
                          Approx(expected.item<double>()).epsilon(1e-12).margin(1e-15));
                    CHECK(apart(ours.gradient, input.grad()) < 1e-12);
                    CHECK(ours.gradient.sizes() == logits.sizes());
                    CHECK(probability_of(ours) ==
                          Approx(torch::sigmoid(logits).mean().item<double>()).epsilon(1e-12));
                }
            }
        }
    }
}

TEST_CASE("micro-batches add up to the batch") {
    torch::manual_seed(2);
    const auto logits = torch::randn({8, 1, 1, 1}, at::kDouble);
    for (const auto kind : kinds) {
        const auto whole = loss({kind}, Target::real, logits, 8);
        const auto a = loss({kind}, Target::real, logits.slice(0, 0, 3), 8);
        const auto b = loss({kind}, Target::real, logits.slice(0, 3, 8), 8);
        CHECK(value_of(a) + value_of(b) == Approx(value_of(whole)).epsilon(1e-14));
        CHECK(probability_of(a) + probability_of(b) ==
              Approx(probability_of(whole)).epsilon(1e-14));
        CHECK(torch::equal(torch::cat({a.gradient, b.gradient}), whole.gradient));
    }
}

TEST_CASE("gradients have the logits' type, large logits stay finite, NaN shows") {
    const auto half = torch::tensor({1.5, -2.5}).to(at::kBFloat16).reshape({2, 1, 1, 1});
    const auto huge = torch::tensor({1e4, -1e4}, at::kDouble);
    const auto broken = torch::full({1}, NAN);
    for (const auto& way : ways) {
        CHECK(way({}, Target::generator, half, 2).gradient.scalar_type() == at::kBFloat16);
        const auto result = way({net::LossKind::bce, 1}, Target::real, huge, 2);
        CHECK(value_of(result) == 5e3);
        CHECK(torch::isfinite(result.gradient).all().item<bool>());
        for (const auto kind : kinds)
            for (const auto target : targets)
                CHECK(std::isnan(value_of(way({kind}, target, broken, 1))));
    }
}

TEST_CASE("losses have names; an unknown one is refused with those that there are") {
    for (const auto kind : kinds) CHECK(net::parse_loss(to_string(kind)) == kind);
    CHECK_THROWS_WITH(net::parse_loss("hing"), "unknown loss 'hing'. Hint: bce, lsgan or hinge.");
    CHECK_THROWS_AS(net::parse_loss("x"), UsageError);
}
