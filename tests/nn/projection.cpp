#include "oracle.hpp"

#include "civitas/nn/loss.hpp"
#include "civitas/nn/projection.hpp"

using namespace civitas;
using namespace civitas::nn;
using namespace civitas::nn::test;

TEST_CASE("the loss on projected outputs and its gradient are autograd's") {
    torch::manual_seed(1);
    for (const int numbers : {1, 2, 10}) {
        auto y = torch::randn({6, 1 + numbers, 1, 1}, at::kDouble).requires_grad_();
        const auto c = torch::rand({6, numbers}, at::kDouble);
        const auto flat = y.flatten(1);
        const auto expected = torch::nn::BCEWithLogitsLoss()(
            flat.select(1, 0) + (flat.narrow(1, 1, numbers) * c).sum(1),
            torch::ones({6}, at::kDouble));
        expected.backward();
        const auto logits = projected(y.detach(), c);
        CHECK(apart(logits, projected_by_aten(y.detach(), c)) < 1e-14);
        CHECK(logits.sizes() == std::vector<std::int64_t>{6, 1, 1, 1});
        const auto ours = loss({net::LossKind::bce}, Target::generator, logits, 6);
        CHECK(ours.figures[0].item<double>() == Approx(expected.item<double>()).epsilon(1e-12));
        const auto gradient = projected_backward(ours.gradient, c);
        CHECK(gradient.sizes() == y.sizes());
        CHECK(apart(gradient, y.grad()) < 1e-14);
    }
}

TEST_CASE("outputs of any type are projected in doubles") {
    torch::manual_seed(2);
    const auto y = torch::randn({3, 5, 1, 1}).to(at::kBFloat16);
    const auto c = torch::rand({3, 4}, at::kDouble);
    CHECK(projected(y, c).equal(projected(y.to(at::kDouble), c)));
    CHECK(projected(y, c).scalar_type() == at::kDouble);
}
