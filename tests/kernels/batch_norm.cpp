#include "support/torch.hpp"

#include "civitas/kernels/batch_norm.hpp"
#include "civitas/net/description.hpp"

#include <vector>

using namespace civitas;

namespace {

using Shape = std::vector<std::int64_t>;

struct Results {
    at::Tensor y, gx, g_weight, g_bias, mean, variance;
};

/// Numbers of one micro-batch.
struct Batch {
    at::Tensor x, gy, weight, bias;
};

at::Tensor images(const Shape& shape, at::ScalarType type, double mean = 0) {
    return torch::randn(shape).add(mean).to(type).contiguous(at::MemoryFormat::ChannelsLast);
}

Batch random_batch(const Shape& shape, at::ScalarType type, double mean = 0) {
    torch::manual_seed(shape[1] * 31 + shape[2]);
    return {images(shape, type, mean), images(shape, type), torch::randn(shape[1]) * 0.2 + 1,
            torch::randn(shape[1]) * 0.2};
}

Results by_kernel(const Batch& b, double slope) {
    const kernels::BatchNorm norm{b.weight, b.bias, 1e-5, slope};
    const auto [y, moments, variance] = kernels::batch_norm_forward(b.x, norm);
    const auto [gx, g_weight, g_bias] = kernels::batch_norm_backward(b.gy, b.x, moments, norm);
    return {y, gx, g_weight, g_bias, moments.mean_C, variance};
}

/// By calls of ATen, in the type of the batch.
Results by_aten(const Batch& b, double slope) {
    const auto mean = torch::zeros_like(b.weight), variance = torch::zeros_like(b.weight);
    const auto [z, m, d] =
        at::native_batch_norm(b.x, b.weight, b.bias, mean, variance, true, 1, 1e-5);
    const auto y = at::leaky_relu(z, slope);
    const auto g = slope == 1 ? b.gy : at::leaky_relu_backward(b.gy, y, slope, true);
    const auto [gx, g_weight, g_bias] = at::native_batch_norm_backward(
        g, b.x, b.weight, {}, {}, m, d, true, 1e-5, {true, true, true});
    return {y, gx, g_weight, g_bias, mean, variance};
}

/// By autograd in double.
Results truth(const Batch& b, double slope) {
    const auto x = b.x.to(at::kDouble).contiguous().requires_grad_();
    const auto weight = b.weight.to(at::kDouble).requires_grad_();
    const auto bias = b.bias.to(at::kDouble).requires_grad_();
    const auto mean = torch::zeros_like(weight), variance = torch::zeros_like(weight);
    const auto y = at::leaky_relu(
        torch::batch_norm(x, weight, bias, mean, variance, true, 1, 1e-5, false), slope);
    y.backward(b.gy.to(at::kDouble));
    return {y.detach(), x.grad(), weight.grad(), bias.grad(), mean, variance};
}

double apart(const at::Tensor& a, const at::Tensor& b) {
    const double size = b.norm().item<double>();
    return (a.to(at::kDouble) - b).norm().item<double>() / (size > 0 ? size : 1);
}

void check_near_truth(const Batch& b, double slope) {
    const auto ours = by_kernel(b, slope), aten = by_aten(b, slope), exact = truth(b, slope);
    const auto check = [&](const char* what, const at::Tensor Results::*of) {
        INFO(what << " of " << b.x.sizes() << ' ' << b.x.dtype() << " slope " << slope);
        const double floor = of == &Results::y || of == &Results::gx ? 0 : 1e-7;
        CHECK(apart(ours.*of, exact.*of) <= 2 * apart(aten.*of, exact.*of) + floor);
    };
    check("y", &Results::y);
    check("gx", &Results::gx);
    check("g_weight", &Results::g_weight);
    check("g_bias", &Results::g_bias);
    check("mean", &Results::mean);
    check("variance", &Results::variance);
    CHECK(ours.y.scalar_type() == b.x.scalar_type());
    CHECK(ours.y.is_contiguous(at::MemoryFormat::ChannelsLast));
    CHECK(ours.gx.is_contiguous(at::MemoryFormat::ChannelsLast));
}

/// What batch norms of the named nets see, odd ones, and the smallest.
std::vector<Shape> shapes() {
    std::vector<Shape> all{{3, 7, 5, 3},   {6, 5, 1, 1},    {3, 1, 2, 1},    {1, 16, 3, 3},
                           {1, 300, 7, 5}, {2, 1025, 3, 3}, {5, 3, 67, 129}, {2, 16, 64, 64}};
    for (const auto* name : {"dcgan-64", "dcgan-256"}) {
        const auto gan = net::dcgan(name, 3);
        for (const auto* net : {&gan.generator, &gan.discriminator}) {
            const auto between = net::shapes_of(*net);
            for (std::size_t i = 0; i < net->layers.size(); ++i)
                if (std::holds_alternative<net::BatchNorm>(net->layers[i].kind))
                    all.push_back({2, between[i].channels, between[i].height, between[i].width});
        }
    }
    return all;
}

bool equal(const Results& a, const Results& b) {
    return torch::equal(a.y, b.y) && torch::equal(a.gx, b.gx) &&
           torch::equal(a.g_weight, b.g_weight) && torch::equal(a.g_bias, b.g_bias) &&
           torch::equal(a.mean, b.mean) && torch::equal(a.variance, b.variance);
}

}  // namespace

TEST_CASE("batch norm with its activation is as near to autograd in double as ATen's, times two") {
    double slope = 0;
    for (const auto& shape : shapes()) {
        for (const auto type : {at::kFloat, at::kBFloat16})
            check_near_truth(random_batch(shape, type, 0.5), slope);
        slope = slope == 0 ? 0.2 : slope == 0.2 ? 1 : 0;
    }
}

TEST_CASE("a mean far from zero costs batch norm no digits but those of its inputs") {
    const auto b = random_batch({4, 33, 40, 40}, at::kFloat, 3000);
    const auto ours = by_kernel(b, 0.2), exact = truth(b, 0.2);
    CHECK(apart(ours.variance, exact.variance) < 1e-6);
    CHECK(apart(ours.mean, exact.mean) < 1e-7);
    CHECK(apart(ours.y, exact.y) < 3e-4);  // fp32 has 2e-4 between numbers near 3000
}

TEST_CASE("batch norm has the same bits on any number of threads, and when it writes in place") {
    for (const auto type : {at::kFloat, at::kBFloat16}) {
        const auto b = random_batch({4, 48, 37, 41}, type);
        const auto one = by_kernel(b, 0.2);
        for (const int threads : {2, 3, 4}) {
            at::set_num_threads(threads);
            CHECK(equal(by_kernel(b, 0.2), one));
        }
        at::set_num_threads(1);
        const kernels::BatchNorm norm{b.weight, b.bias, 1e-5, 0.2};
        const auto gy = b.gy.clone();
        const auto made = kernels::batch_norm_forward(b.x, norm);
        const auto gx = kernels::batch_norm_backward(gy, b.x, made.moments, norm, gy).gx;
        CHECK(gx.is_same(gy));
        CHECK(torch::equal(gx, one.gx));
    }
}

TEST_CASE("batch norm hands NaN on") {
    auto b = random_batch({2, 8, 4, 4}, at::kBFloat16);
    b.x[1][3][2][2] = NAN;
    const auto nan = by_kernel(b, 0).y.isnan();
    CHECK(nan.select(1, 3).all().item<bool>());
    CHECK(nan.sum().item<std::int64_t>() == 32);
}
