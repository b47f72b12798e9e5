#include "support/apart.hpp"
#include "support/torch.hpp"

#include "civitas/updates/sgd.hpp"

#include <limits>

using namespace civitas;
using test::apart;

namespace {

constexpr std::int64_t count = 1003;
constexpr int steps = 6;
constexpr std::array momenta{0.0, 0.9};

updates::SgdFactors factors(double momentum) {
    return {.learning_rate = 1e-2, .momentum = momentum, .weight_decay = 0.1, .mean_decay = 0.9};
}

at::Tensor gradient(int step) {
    torch::manual_seed(100 + step);
    return torch::randn({count});
}

updates::UpdateArrays start(double momentum, at::ScalarType type = at::kFloat) {
    torch::manual_seed(7);
    const auto weights = torch::randn({count}).to(type);
    return {weights,
            {},
            momentum > 0 ? torch::zeros_like(weights) : at::Tensor(),
            {},
            weights.clone(),
            torch::zeros({count}, at::kBFloat16)};
}

using Update = void (*)(const updates::UpdateArrays&, const updates::SgdFactors&);

updates::UpdateArrays updated(Update update, double momentum, at::ScalarType type = at::kFloat) {
    auto arrays = start(momentum, type);
    for (int step = 0; step < steps; ++step) {
        arrays.gradient = gradient(step).to(type);
        update(arrays, factors(momentum));
    }
    return arrays;
}

}  // namespace

TEST_CASE("SGD in one pass is as near to torch::optim::SGD in double as ATen's, times two") {
    for (const double momentum : momenta) {
        auto weights = start(momentum, at::kDouble).weights.requires_grad_();
        auto mean = weights.detach().clone();
        torch::optim::SGD oracle(
            {weights}, torch::optim::SGDOptions(1e-2).momentum(momentum).weight_decay(0.1));
        for (int step = 0; step < steps; ++step) {
            weights.mutable_grad() = gradient(step).to(at::kDouble);
            oracle.step();
            mean = 0.9 * mean + 0.1 * weights.detach();
        }
        const auto ours = updated(updates::sgd, momentum);
        const auto aten = updated(updates::sgd_by_aten, momentum);
        CHECK(apart(aten.weights, weights.detach()) < 1e-6);
        CHECK(apart(ours.weights, weights.detach()) <= 2 * apart(aten.weights, weights.detach()));
        CHECK(apart(ours.mean, mean) <= 2 * apart(aten.mean, mean));
        if (momentum > 0) CHECK(apart(ours.first, aten.first.to(at::kDouble)) < 1e-6);
        CHECK(torch::equal(ours.compute_copy, ours.weights.to(at::kBFloat16)));
        CHECK(apart(updated(updates::sgd, momentum, at::kDouble).weights, weights.detach()) <
              1e-15);
    }
}

TEST_CASE("SGD's bits do not depend on where an array is cut, nor on what else is kept") {
    for (const double momentum : momenta)
        for (const Update update : {updates::sgd, updates::sgd_by_aten}) {
            const auto whole = updated(update, momentum);
            auto cut = start(momentum), less = start(momentum);
            less.mean = less.compute_copy = at::Tensor();
            constexpr std::int64_t some = 64;  // arenas are cut at multiples of 64 bytes
            for (int step = 0; step < steps; ++step) {
                const auto g = less.gradient = gradient(step);
                for (std::int64_t begin = 0; begin < count; begin += some) {
                    const auto part = [&](const at::Tensor& t) {
                        return t.defined() ? t.narrow(0, begin, std::min(some, count - begin)) : t;
                    };
                    update({part(cut.weights),
                            part(g),
                            part(cut.first),
                            {},
                            part(cut.mean),
                            part(cut.compute_copy)},
                           factors(momentum));
                }
                update(less, factors(momentum));
            }
            CHECK(torch::equal(cut.weights, whole.weights));
            CHECK(torch::equal(cut.mean, whole.mean));
            CHECK(torch::equal(cut.compute_copy, whole.compute_copy));
            CHECK(torch::equal(less.weights, whole.weights));
        }
}

TEST_CASE("an update of SGD by terms has the bits of one by their sum, and keeps the weights") {
    for (const double momentum : momenta)
        for (const at::ScalarType type : {at::kFloat, at::kDouble})
            for (const bool aten : {false, true}) {
                auto by_terms = start(momentum, type), by_sum = start(momentum, type);
                by_terms.gradient = torch::empty({count}, type);
                const auto term = [&](int i) { return gradient(i).to(type); };
                updates::GradientTerms terms{{{term(0), term(1), term(2)}, {term(3), term(4)}},
                                             torch::empty({count}, type)};
                by_sum.gradient = ((term(0) + term(1)) + term(2)) + (term(3) + term(4));
                const at::Tensor before = by_terms.weights.clone();
                const auto f = factors(momentum);
                (aten ? updates::sgd_by_aten : updates::sgd)(by_sum, f);
                const auto by = aten ? updates::sgd_of_sum_by_aten : updates::sgd_of_sum;
                CHECK_FALSE(by(by_terms, terms, f));
                CHECK(torch::equal(by_terms.weights, by_sum.weights));
                CHECK((momentum == 0 || torch::equal(by_terms.first, by_sum.first)));
                CHECK(torch::equal(by_terms.mean, by_sum.mean));
                CHECK(torch::equal(by_terms.compute_copy, by_sum.compute_copy));
                CHECK(torch::equal(terms.kept, before));
                terms.passes[1][0][700] = std::numeric_limits<double>::infinity();
                CHECK(by(by_terms, terms, f) == 700);
            }
}
