#include "support/apart.hpp"
#include "support/torch.hpp"

#include "civitas/base/tree.hpp"
#include "civitas/updates/adam.hpp"

#include <limits>

using namespace civitas;
using test::apart;

namespace {

constexpr std::int64_t count = 1003;
constexpr int steps = 6;

updates::AdamFactors factors(std::int64_t step) {
    return {.learning_rate = 1e-2,
            .beta1 = 0.5,
            .beta2 = 0.999,
            .epsilon = 1e-8,
            .mean_decay = 0.9,
            .steps = step};
}

at::Tensor gradient(int step) {
    torch::manual_seed(100 + step);
    return torch::randn({count});
}

updates::UpdateArrays start(at::ScalarType type = at::kFloat) {
    torch::manual_seed(7);
    const auto weights = torch::randn({count}).to(type);
    return {weights,
            {},
            torch::zeros_like(weights),
            torch::zeros_like(weights),
            weights.clone(),
            torch::zeros({count}, at::kBFloat16)};
}

using Update = void (*)(const updates::UpdateArrays&, const updates::AdamFactors&);

updates::UpdateArrays updated(Update update, updates::UpdateArrays arrays) {
    for (int step = 1; step <= steps; ++step) {
        arrays.gradient = gradient(step).to(arrays.weights.scalar_type());
        update(arrays, factors(step));
    }
    return arrays;
}

}  // namespace

TEST_CASE("Adam in one pass is as near to torch::optim::Adam in double as ATen's, times two") {
    auto weights = start(at::kDouble).weights.requires_grad_();
    auto mean = weights.detach().clone();
    torch::optim::Adam oracle({weights}, torch::optim::AdamOptions(1e-2).betas({0.5, 0.999}));
    for (int step = 1; step <= steps; ++step) {
        weights.mutable_grad() = gradient(step).to(at::kDouble);
        oracle.step();
        mean = 0.9 * mean + 0.1 * weights.detach();
    }
    const auto ours = updated(updates::adam, start());
    const auto aten = updated(updates::adam_by_aten, start());
    const auto exact = weights.detach();
    CHECK(apart(ours.weights, exact) <= 2 * apart(aten.weights, exact));
    CHECK(apart(ours.mean, mean) <= 2 * apart(aten.mean, mean));
    CHECK(apart(ours.first, aten.first.to(at::kDouble)) < 1e-7);
    CHECK(apart(ours.second, aten.second.to(at::kDouble)) < 1e-7);
    CHECK(torch::equal(ours.compute_copy, ours.weights.to(at::kBFloat16)));
}

TEST_CASE("Adam's bits do not depend on where an array is cut, nor on what else is kept") {
    const auto whole = updated(updates::adam, start());
    auto cut = start();
    for (int step = 1; step <= steps; ++step) {
        const auto g = gradient(step);
        for (std::int64_t begin = 0; begin < count; begin += 37) {
            const auto part = [&](const at::Tensor& t) {
                return t.narrow(0, begin, std::min<std::int64_t>(37, count - begin));
            };
            updates::adam({part(cut.weights), part(g), part(cut.first), part(cut.second),
                           part(cut.mean), part(cut.compute_copy)},
                          factors(step));
        }
    }
    CHECK(torch::equal(cut.weights, whole.weights));
    CHECK(torch::equal(cut.mean, whole.mean));
    CHECK(torch::equal(cut.compute_copy, whole.compute_copy));
    for (const bool mean : {false, true}) {
        auto less = start();
        (mean ? less.compute_copy : less.mean) = at::Tensor();
        less = updated(updates::adam, less);
        CHECK(torch::equal(less.weights, whole.weights));
        if (mean) CHECK(torch::equal(less.mean, whole.mean));
    }
}

TEST_CASE("Adam in double is ATen's") {
    auto ours = start(at::kDouble), aten = start(at::kDouble);
    CHECK(torch::equal(updated(updates::adam, ours).weights,
                       updated(updates::adam_by_aten, aten).weights));
}

TEST_CASE("an update by terms has the bits of one by their sum, and keeps the weights") {
    for (const at::ScalarType type : {at::kFloat, at::kDouble})
        for (const std::int64_t ranks : {1, 2, 3, 4, 5, 8})
            for (const int passes : {1, 2, 3})
                for (const bool aten : {false, true}) {
                    INFO(ranks << " ranks, " << passes << " passes");
                    auto by_terms = start(type), by_sum = start(type);
                    by_terms.gradient = torch::empty({count}, type);
                    updates::GradientTerms terms;
                    for (int pass = 0; pass < passes; ++pass) {
                        std::vector<at::Tensor> of_pass;
                        for (int rank = 0; rank < ranks; ++rank)
                            of_pass.push_back(gradient(10 * pass + rank).to(type));
                        const at::Tensor sum = tree_sum(
                            0, ranks,
                            [&](std::int64_t i) { return of_pass[static_cast<std::size_t>(i)]; },
                            [](const at::Tensor& a, const at::Tensor& b) { return a + b; });
                        by_sum.gradient = pass == 0 ? sum : by_sum.gradient + sum;
                        terms.passes.push_back(of_pass);
                    }
                    terms.kept = terms.passes.front().back();
                    const at::Tensor before = by_terms.weights.clone();
                    (aten ? updates::adam_by_aten : updates::adam)(by_sum, factors(1));
                    const auto bad = aten
                                         ? updates::adam_of_sum_by_aten(by_terms, terms, factors(1))
                                         : updates::adam_of_sum(by_terms, terms, factors(1));
                    CHECK_FALSE(bad);
                    CHECK(torch::equal(by_terms.weights, by_sum.weights));
                    CHECK(torch::equal(by_terms.first, by_sum.first));
                    CHECK(torch::equal(by_terms.second, by_sum.second));
                    CHECK(torch::equal(by_terms.mean, by_sum.mean));
                    CHECK(torch::equal(by_terms.compute_copy, by_sum.compute_copy));
                    CHECK(torch::equal(terms.kept, before));
                }
}

TEST_CASE("the first element of a sum that is not finite is named") {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    for (const at::ScalarType type : {at::kFloat, at::kDouble})
        for (const std::int64_t element : {0, 700, 1002})
            for (const bool aten : {false, true}) {
                auto arrays = start(type);
                arrays.gradient = torch::empty({count}, type);
                updates::GradientTerms terms{{{gradient(1).to(type), gradient(2).to(type)}},
                                             torch::empty({count}, type)};
                terms.passes[0][1][element] = -infinity;
                if (element == 700) terms.passes[0][0][element] = infinity;  // whose sum is a NaN
                terms.passes[0][0][1002] = infinity;
                const auto bad = aten ? updates::adam_of_sum_by_aten(arrays, terms, factors(1))
                                      : updates::adam_of_sum(arrays, terms, factors(1));
                CHECK(bad == element);
            }
}
