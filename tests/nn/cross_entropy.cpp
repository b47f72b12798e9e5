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

}  // namespace

TEST_CASE("cross-entropy and its gradient are those of torch::nn, with smoothing and without") {
    namespace F = torch::nn::functional;
    const std::vector<std::int64_t> classes{5, 0, 3};
    for (const double smoothing : {0.0, 0.1, 0.4})
        for (const auto type : {at::kDouble, at::kFloat}) {
            const auto logits = logits_of(type);
            const CrossEntropy found = cross_entropy(logits, {classes, smoothing}, 12);
            const auto input = logits.to(at::kDouble).flatten(1).requires_grad_();
            const auto expected =
                F::cross_entropy(input, torch::tensor(classes),
                                 F::CrossEntropyFuncOptions().label_smoothing(smoothing).reduction(
                                     torch::kSum)) /
                12;
            expected.backward();
            INFO(smoothing << ' ' << c10::toString(type));
            CHECK(found.value == Approx(expected.item<double>()).epsilon(1e-12));
            CHECK(found.gradient.sizes() == logits.sizes());
            CHECK(found.gradient.scalar_type() == type);
            CHECK(apart(found.gradient.flatten(1), input.grad()) <
                  (type == at::kDouble ? 1e-14 : 1e-6));
        }
}

TEST_CASE("right guesses are counted, of equal logits the first one's") {
    at::Tensor logits = torch::zeros({2, 7, 1, 1}, at::kDouble);
    for (int k = 0; k < 7; ++k) logits[0][k] = 7 - k;  // classes 0, 1, ... in this order
    const auto shares = [&](std::int64_t first, std::int64_t second) {
        const std::vector<std::int64_t> classes{first, second};
        const CrossEntropy found = cross_entropy(logits, {classes, 0}, 2);
        return std::pair{found.first, found.top_five};
    };
    CHECK(shares(0, 0) == std::pair{1.0, 1.0});
    CHECK(shares(4, 1) == std::pair{0.0, 1.0});
    CHECK(shares(5, 4) == std::pair{0.0, 0.5});
    CHECK(shares(6, 5) == std::pair{0.0, 0.0});
}

TEST_CASE("a logit that is no number shows, large ones do not overflow, a wrong class is told") {
    const std::vector<std::int64_t> classes{1};
    const auto of = [&](double x) {
        return cross_entropy(torch::tensor({x, 0.0}, at::kDouble).reshape({1, 2, 1, 1}),
                             {classes, 0}, 1);
    };
    CHECK(std::isnan(of(std::numeric_limits<double>::quiet_NaN()).value));
    CHECK(of(1e4).value == Approx(1e4));
    CHECK(of(-1e4).value == Approx(0).margin(1e-12));
    const std::vector<std::int64_t> third{2};
    CHECK_THROWS_WITH(cross_entropy(torch::zeros({1, 2, 1, 1}), {third, 0}, 1),
                      Catch::Contains("of class 2, the net tells 2 apart"));
}
