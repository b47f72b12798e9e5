#include "support/tensor.hpp"

// What a GPU computes of batch norm, step by step, compiled for a CPU: no GPU is needed.
#include "gpu/batch_norm_steps.hpp"

#include "civitas/kernels/batch_norm.hpp"
#include "support/apart.hpp"

#include <c10/util/BFloat16.h>

using namespace civitas;
using namespace civitas::gpu;

namespace {

/// Every step as a loop, from the end: none may ask for another.
const auto by_loop = [](std::int64_t count, const auto& step) {
    for (std::int64_t i = count; i-- > 0;) step(i);
};

struct Case {
    std::array<std::int64_t, 4> shape;
    double mean = 0;
    double slope = 1;
};

at::Tensor images(const Case& c, at::ScalarType type) {
    return (at::randn(c.shape) + c.mean).to(type).contiguous(at::MemoryFormat::ChannelsLast);
}

double apart(const at::Tensor& a, const at::Tensor& b) { return test::apart(a, b.to(at::kDouble)); }

template <class T>
void compare(const Case& c, double tolerance) {
    const auto type = c10::CppTypeToScalarType<T>::value;
    const auto x = images(c, type), gy = images({c.shape, 0.3}, type);
    const std::int64_t channels = x.size(1);
    const RowSizes sizes{x.numel() / channels, channels};
    const kernels::BatchNorm norm{at::rand({channels}) + 0.5, at::randn({channels}), 1e-5, c.slope};
    const auto expected = kernels::batch_norm_forward(x, norm);

    const auto by_channel = [&] { return at::full({channels}, NAN); };
    const auto mean = by_channel(), deviation = by_channel(), variance = by_channel();
    const auto workspace = at::full({workspace_for(sizes)}, NAN);
    const auto number = [](const at::Tensor& t) { return t.template mutable_data_ptr<float>(); };
    const Norm applied{number(norm.weight_C), number(norm.bias_C), number(mean), number(deviation),
                       static_cast<float>(c.slope)};
    const auto y = at::empty_like(x);
    NormForward<T>{sizes,
                   applied,
                   norm.epsilon,
                   x.template const_data_ptr<T>(),
                   y.template mutable_data_ptr<T>(),
                   number(mean),
                   number(deviation),
                   number(variance),
                   number(workspace)}
        .run(by_loop);
    CHECK(apart(y, expected.y) < tolerance);
    CHECK(apart(mean, expected.moments.mean_C) < 1e-6 + (c.mean == 0 ? 1e-4 : 0));
    CHECK(apart(deviation, expected.moments.inverse_deviation_C) < 1e-5);
    CHECK(apart(variance, expected.unbiased_variance_C) < 1e-5);

    const auto back = kernels::batch_norm_backward(gy, x, expected.moments, norm);
    const auto gx = gy.clone();
    const auto g_weight = by_channel(), g_bias = by_channel();
    const auto more_workspace = at::full({workspace_for(sizes)}, NAN);
    const Norm found{applied.weight, applied.bias, number(expected.moments.mean_C),
                     number(expected.moments.inverse_deviation_C), applied.slope};
    NormBackward<T>{sizes,
                    found,
                    x.template const_data_ptr<T>(),
                    gx.template const_data_ptr<T>(),
                    gx.template mutable_data_ptr<T>(),
                    number(g_weight),
                    number(g_bias),
                    number(more_workspace)}
        .run(by_loop);
    CHECK(apart(gx, back.gx) < tolerance);
    CHECK(apart(g_weight, back.g_weight_C) < 1e-4);
    CHECK(apart(g_bias, back.g_bias_C) < 1e-4);
}

const std::vector<Case> cases{{{3, 5, 2, 1}},
                              {{1, 3, 4, 4}, 0, 0.2},
                              {{3, 64, 8, 8}, 0.5, 0.2},
                              {{2, 7, 33, 31}, 1000, 0},
                              {{1, 3, 400, 401}, -2, 0.2},
                              {{8, 1024, 4, 4}, 1, 0}};

}  // namespace

TEST_CASE("a GPU's batch norm is that of CPUs, in all its steps and for any shape") {
    at::manual_seed(1);
    for (const Case& c : cases) {
        INFO(c.shape[0] << 'x' << c.shape[1] << 'x' << c.shape[2] << 'x' << c.shape[3]);
        compare<float>(c, c.mean == 1000 ? 2e-4 : 1e-5);
        if (c.mean < 1000) compare<c10::BFloat16>(c, 0.005);
    }
}

TEST_CASE("sums are made in as many rounds as chunks need, and workspace is for all of them") {
    const RowSizes sizes{std::int64_t{1} << 20, 4};
    const Chunks chunks{sizes};
    CHECK(chunks.count() == 32768);
    CHECK(chunks.joined().count() == 512);
    CHECK(chunks.joined().joined().count() == 8);
    CHECK(workspace_for(sizes) == 2 * (32768 + 512 + 8 + 1) * 4);
    CHECK(Chunks{{33, 1}}.rows(1) == 1);
}
