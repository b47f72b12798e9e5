#include "cases.hpp"
#include "support/gpu.hpp"

using namespace civitas;
using namespace civitas::nn;
using namespace civitas::nn::test;

namespace {

Numbers moved(const Numbers& numbers, at::Device device) {
    Numbers there = numbers;
    for (auto& layer : there.layers) {
        for (auto& p : layer.parameters) p = p.to(device);
        for (auto& b : layer.buffers) b = b.to(device);
    }
    return there;
}

void check_layer(const Case& c, at::ScalarType type, double tolerance) {
    const std::vector<net::LayerDescription> layers{c.layer};
    const auto here = random_numbers(layers, type);
    const auto there = moved(here, at::kCUDA);
    const auto x = random_like(c.input, type, 3);
    const auto gy = random_like(output_shape(c), type, 5);
    const auto cpu = run(make_stage(layers, here), here, x, gy);
    const auto gpu = run(make_stage(layers, there), there, x.to(at::kCUDA), gy.to(at::kCUDA));
    INFO(c.layer.name << " in " << c10::toString(type));
    CHECK(gpu.y.is_cuda());
    CHECK(gpu.gx.is_contiguous(at::MemoryFormat::ChannelsLast));
    CHECK(apart(gpu.y, cpu.y) < tolerance);
    CHECK(apart(gpu.gx, cpu.gx) < tolerance);
    for (std::size_t i = 0; i < cpu.gradients.size(); ++i)
        CHECK(apart(gpu.gradients[i], cpu.gradients[i]) < tolerance);
    for (std::size_t i = 0; i < cpu.statistics.size(); ++i)
        CHECK(apart(gpu.statistics[i].variance_C, cpu.statistics[i].variance_C) < tolerance);
}

}  // namespace

// Registered in builds with CUDA only; a machine that compiles but has no GPU is told so.
TEST_CASE("F, B and W of every layer on the GPU are those of the CPU") {
    if (!civitas::test::gpu_here("layers were")) return;
    at::globalContext().setAllowTF32CuDNN(false);
    for (const auto& c : cases()) {
        check_layer(c, at::kDouble, 1e-10);
        check_layer(c, at::kFloat, 1e-5);
        check_layer(c, at::kBFloat16, 0.01);
    }
}
