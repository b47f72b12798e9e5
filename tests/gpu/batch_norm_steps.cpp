#include "support/tensor.hpp"

// What a GPU computes of batch norm, phase by phase, compiled for a CPU: no GPU is needed.
#include "gpu/batch_norm_steps.hpp"

#include "civitas/kernels/batch_norm.hpp"
#include "support/apart.hpp"
#include "support/images.hpp"

#include <c10/util/BFloat16.h>

using namespace civitas;
using namespace civitas::gpu;
using test::shifted;

namespace {

/// Every block in turn, from the end: none may ask for another, nor for memory that is not its own.
const auto by_loop = [](const Chunks& chunks, const auto& program) {
    auto shared = std::make_unique<typename std::decay_t<decltype(program)>::Shared>();
    for (int chunk = chunks.count; chunk-- > 0;)
        for (int tile = chunks.tiles(); tile-- > 0;) {
            std::memset(static_cast<void*>(shared.get()), 0xff, sizeof(*shared));  // NaN
            program({tile, chunk}, *shared);
        }
};

float* numbers(const at::Tensor& t) { return t.mutable_data_ptr<float>(); }
at::Tensor nothing_yet(std::int64_t count) { return at::full({count}, NAN); }
RowSizes sizes_of(const at::Tensor& x) {
    return {static_cast<int>(x.numel() / x.size(1)), static_cast<int>(x.size(1))};
}
Norm applied(const kernels::BatchNorm& norm) {
    return {numbers(norm.weight_C), numbers(norm.bias_C), static_cast<float>(norm.slope)};
}

/// y, mean, inverse deviation and unbiased variance.
template <class T>
std::vector<at::Tensor> forward(const at::Tensor& x, const kernels::BatchNorm& norm,
                                const at::Tensor& y) {
    const auto sizes = sizes_of(x);
    const auto mean = nothing_yet(x.size(1)), deviation = mean.clone(), variance = mean.clone();
    const auto workspace = nothing_yet(workspace_for(sizes));
    NormForward<T>{sizes,
                   applied(norm),
                   static_cast<float>(norm.epsilon),
                   x.const_data_ptr<T>(),
                   y.mutable_data_ptr<T>(),
                   numbers(mean),
                   numbers(deviation),
                   numbers(variance),
                   numbers(workspace)}
        .run(by_loop);
    return {y, mean, deviation, variance};
}

/// Gradients of x, weight and bias.
template <class T>
std::vector<at::Tensor> backward(const at::Tensor& gy, const at::Tensor& x,
                                 const kernels::BatchMoments& moments,
                                 const kernels::BatchNorm& norm, const at::Tensor& gx) {
    const auto sizes = sizes_of(x);
    const auto g_weight = nothing_yet(x.size(1)), g_bias = g_weight.clone();
    const auto workspace = nothing_yet(workspace_for(sizes));
    NormBackward<T>{sizes,
                    applied(norm),
                    numbers(moments.mean_C),
                    numbers(moments.inverse_deviation_C),
                    x.const_data_ptr<T>(),
                    gy.const_data_ptr<T>(),
                    gx.mutable_data_ptr<T>(),
                    numbers(g_weight),
                    numbers(g_bias),
                    numbers(workspace)}
        .run(by_loop);
    return {gx, g_weight, g_bias};
}

struct Case {
    std::array<std::int64_t, 4> shape;
    double mean = 0;
    double slope = 1;
};

at::Tensor images(const Case& c, at::ScalarType type) {
    return (at::randn(c.shape) + c.mean).to(type).contiguous(at::MemoryFormat::ChannelsLast);
}

double apart(const at::Tensor& a, const at::Tensor& b) { return test::apart(a, b.to(at::kDouble)); }

bool same_bits(const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const auto& left, const auto& right) { return left.equal(right); });
}

template <class T>
void compare(const Case& c, double tolerance) {
    const auto type = c10::CppTypeToScalarType<T>::value;
    const auto x = images(c, type), gy = images({c.shape, 0.3}, type);
    const std::int64_t channels = x.size(1);
    const kernels::BatchNorm norm{at::rand({channels}) + 0.5, at::randn({channels}), 1e-5, c.slope};
    const auto expected = kernels::batch_norm_forward(x, norm);
    const auto made = forward<T>(x, norm, at::empty_like(x));
    CHECK(apart(made[0], expected.y) < tolerance);
    CHECK(apart(made[1], expected.moments.mean_C) < 1e-6 + (c.mean == 0 ? 1e-4 : 0));
    CHECK(apart(made[2], expected.moments.inverse_deviation_C) < 1e-5);
    CHECK(apart(made[3], expected.unbiased_variance_C) < 1e-5);
    CHECK(same_bits(forward<T>(shifted(x), norm, at::empty_like(x)), made));

    const auto back = kernels::batch_norm_backward(gy, x, expected.moments, norm);
    const auto found = backward<T>(gy, x, expected.moments, norm, at::empty_like(gy));
    CHECK(apart(found[0], back.gx) < tolerance);
    CHECK(apart(found[1], back.g_weight_C) < 1e-4);
    CHECK(apart(found[2], back.g_bias_C) < 1e-4);
    const auto over = gy.clone(), over_shifted = shifted(gy);
    CHECK(same_bits(backward<T>(over, x, expected.moments, norm, over), found));
    CHECK(same_bits(backward<T>(over_shifted, x, expected.moments, norm, over_shifted), found));
}

/// Channels: of one vector and less, of several tiles and in part of one, whole vectors and others.
/// Rows: a few, of one chunk, one more than that, and of longer chunks than the shortest.
const std::vector<Case> cases{{{3, 5, 2, 1}},
                              {{3, 8, 2, 1}},
                              {{1, 3, 4, 4}, 0, 0.2},
                              {{3, 64, 8, 8}, 0.5, 0.2},
                              {{8, 36, 8, 8}, 0.5, 0.2},
                              {{1, 44, 27, 19}, 0.5, 0.2},
                              {{1, 33, 27, 19}, 0.5, 0.2},
                              {{2, 7, 33, 31}, 1000, 0},
                              {{2, 8, 33, 31}, 1000, 0},
                              {{1, 3, 400, 401}, -2, 0.2},
                              {{2, 4, 300, 200}, -2, 0.2},
                              {{8, 1024, 4, 4}, 1, 0}};

}  // namespace

TEST_CASE("a GPU's batch norm is that of CPUs, in all its phases and for any shape") {
    at::manual_seed(1);
    for (const Case& c : cases) {
        INFO(c.shape[0] << 'x' << c.shape[1] << 'x' << c.shape[2] << 'x' << c.shape[3]);
        compare<float>(c, c.mean == 1000 ? 2e-4 : 1e-5);
        if (c.mean < 1000) compare<c10::BFloat16>(c, 0.005);
    }
}

TEST_CASE("a GPU's moments are those of all values, however far off the first is") {
    at::manual_seed(1);
    for (const auto& shape :
         {std::array<std::int64_t, 4>{2, 4, 1, 1}, {1, 4, 16, 16}, {2, 4, 64, 64}}) {
        const auto x = images({shape}, at::kFloat);
        x.select(0, 0).select(1, 0).select(1, 0).fill_(1000);
        const kernels::BatchNorm norm{at::ones({4}), at::zeros({4})};
        const auto variance = forward<float>(x, norm, at::empty_like(x))[3];
        CHECK(apart(variance, x.to(at::kDouble).var({0, 2, 3})) < 1e-5);
    }
}

TEST_CASE("rows are in one chunk each, of which there are few, and workspace is for all of them") {
    for (const int rows : {1, 2, 63, 64, 65, 512, 513, 8192, 65536, 65537, 131072, (1 << 30) - 1}) {
        const Chunks chunks({rows, 40});
        INFO(rows << " rows");
        std::int64_t all = 0, of_lines = 0;
        for (int chunk = 0; chunk < most_chunks; ++chunk) {
            all += chunks.rows(chunk);
            for (int line = 0; line < lines; ++line) of_lines += chunks.rows(chunk, line);
        }
        CHECK(all == rows);
        CHECK(of_lines == rows);
        CHECK(chunks.rows(chunks.count - 1) > 0);
        CHECK(chunks.tiles() == 2);
        CHECK(workspace_for({rows, 40}) == (rows <= 512 ? 0 : 2 * 40 * chunks.count));
    }
    CHECK(Chunks({512, 1}).count == 1);
    CHECK(Chunks({513, 1}).rows(1) == 1);
    CHECK(Chunks({131072, 1}).count == 128);
    CHECK(Chunks({65537, 1}).rows_of_each == 576);
}

TEST_CASE("vectors are read as such only where all of them are whole and aligned") {
    const auto x = at::zeros({64}, at::kBFloat16);
    const auto* first = x.const_data_ptr<c10::BFloat16>();
    CHECK(whole_vectors({2, 12}, {first, first + 4}));
    CHECK_FALSE(whole_vectors({2, 13}, {first}));
    CHECK_FALSE(whole_vectors({2, 12}, {first, first + 2}));
}
