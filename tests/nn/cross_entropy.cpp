#include "oracle.hpp"

#include "civitas/base/error.hpp"
#include "civitas/nn/cross_entropy.hpp"

#include <cmath>
#include <limits>

using namespace civitas;
using namespace civitas::nn;
using namespace civitas::nn::test;

namespace {

/// Three samples of seven classes; sample 1 has two equal logits.
at::Tensor logits_of(at::ScalarType type) {
    auto logits = random_like({3, 7, 1, 1}, at::kDouble, 4).mul_(3);
    logits[1][2] = logits[1][4];
    return logits.to(type);
}

/// By a loop over the logits, and as it is done on a device.
const std::vector ways{&cross_entropy, &cross_entropy_by_aten};

double figure(const CrossEntropy& of, int number) { return of.figures[number].item<double>(); }

}  // namespace

TEST_CASE("cross-entropy and its gradient are those of torch::nn, with smoothing and without") {
    namespace F = torch::nn::functional;
    const std::vector<std::int64_t> classes{5, 0, 3};
    for (const double smoothing : {0.0, 0.1, 0.4})
        for (const auto type : {at::kDouble, at::kFloat}) {
            const auto logits = logits_of(type);
            const auto input = logits.to(at::kDouble).flatten(1).requires_grad_();
            const auto expected =
                F::cross_entropy(input, torch::tensor(classes),
                                 F::CrossEntropyFuncOptions().label_smoothing(smoothing).reduction(
                                     torch::kSum)) /
                12;
            expected.backward();
            INFO(smoothing << ' ' << c10::toString(type));
            for (const auto& way : ways) {
                const CrossEntropy found = way(logits, {torch::tensor(classes), smoothing}, 12);
                CHECK(figure(found, 0) == Approx(expected.item<double>()).epsilon(1e-12));
                CHECK(found.gradient.sizes() == logits.sizes());
                CHECK(found.gradient.scalar_type() == type);
                CHECK(apart(found.gradient.flatten(1), input.grad()) <
                      (type == at::kDouble ? 1e-14 : 1e-6));
            }
        }
}

TEST_CASE("right guesses are counted, of equal logits the first one's") {
    at::Tensor logits = torch::zeros({2, 7, 1, 1}, at::kDouble);
    for (int k = 0; k < 7; ++k) logits[0][k] = 7 - k;  // classes 0, 1, ... in this order
    for (const auto& way : ways) {
        const auto shares = [&](std::int64_t first, std::int64_t second) {
            const std::vector<std::int64_t> classes{first, second};
            const CrossEntropy found = way(logits, {torch::tensor(classes), 0}, 2);
            return std::pair{figure(found, 1), figure(found, 2)};
        };
        CHECK(shares(0, 0) == std::pair{1.0, 1.0});
        CHECK(shares(4, 1) == std::pair{0.0, 1.0});
        CHECK(shares(5, 4) == std::pair{0.0, 0.5});
        CHECK(shares(6, 5) == std::pair{0.0, 0.0});
        logits[1][0] = 3;  // as much as class 4
        CHECK(shares(0, 4) == std::pair{0.5, 1.0});
        logits[1][0] = 7;
    }
}

TEST_CASE("a logit that is no number shows, large ones do not overflow, a wrong class is told") {
    for (const auto& way : ways) {
        const auto of = [&](double x) {
            return figure(way(torch::tensor({x, 0.0}, at::kDouble).reshape({1, 2, 1, 1}),
                              {torch::ones({1}, at::kLong), 0}, 1),
                          0);
        };
        CHECK(std::isnan(of(std::numeric_limits<double>::quiet_NaN())));
        CHECK(of(1e4) == Approx(1e4));
        CHECK(of(-1e4) == Approx(0).margin(1e-12));
    }
    const auto third = torch::full({1}, 2, at::kLong);
    CHECK_THROWS_WITH(cross_entropy(torch::zeros({1, 2, 1, 1}), {third, 0}, 1),
                      Catch::Contains("of class 2, the net tells 2 apart"));
}
