#include "civitas/net/fuse.hpp"

#include "civitas/net/own_kernel.hpp"
#include "civitas/net/tensor_split.hpp"

#include <catch2/catch.hpp>

using namespace civitas;
using namespace civitas::net;

namespace {

std::vector<std::string> names_of(const NetDescription& net) {
    std::vector<std::string> names;
    for (const auto& p : parameters_of(net)) names.push_back(p.name);
    for (const auto& b : buffers_of(net)) names.push_back(b.name);
    return names;
}

/// With every batch norm by a kernel of our own, or but for those that are left.
NetDescription lowered(const NetDescription& net, const char* choice = "fast") {
    return fuse(with_kernels(net, parse_kernels(choice)));
}

double flops_of(const NetDescription& net) {
    const auto shapes = shapes_of(net);
    double sum = 0;
    for (std::size_t i = 0; i < net.layers.size(); ++i)
        sum += forward_flops(net.layers[i], shapes[i]);
    return sum;
}

}  // namespace

TEST_CASE("fusing merges batch norms with their activations and changes nothing that is stored") {
    const auto gan = dcgan("dcgan-256", 3);
    for (const auto* net : {&gan.generator, &gan.discriminator}) {
        const auto fused = lowered(*net);
        std::size_t norms = 0;
        for (const auto& layer : fused.layers) {
            CHECK(!std::holds_alternative<BatchNorm>(layer.kind));
            norms += std::holds_alternative<BatchNormActivation>(layer.kind) ? 1 : 0;
        }
        CHECK(norms + fused.layers.size() == net->layers.size());
        CHECK(names_of(fused) == names_of(*net));
        CHECK(shapes_of(fused).back() == shapes_of(*net).back());
        CHECK(flops_of(fused) == flops_of(*net));
        CHECK(lowered(fused).layers.size() == fused.layers.size());
    }
    const auto first = lowered(gan.generator).layers.at(1);
    CHECK(first.name == "norm0");
    CHECK(std::get<BatchNormActivation>(first.kind).channels == 1024);
    CHECK(std::get<BatchNormActivation>(first.kind).activation.slope == 0);
    // D's first activation has no batch norm before it, and keeps its own layer.
    const auto d = lowered(gan.discriminator);
    CHECK(std::get<LeakyRelu>(d.layers.at(1).kind).slope == 0.2);
    CHECK(std::get<BatchNormActivation>(d.layers.at(3).kind).activation.slope == 0.2);
}

TEST_CASE("the parts of a fused net are the fused parts of the net") {
    const auto net = dcgan("dcgan-64", 3).generator;
    const auto of_fused = local_net(lowered(net), tensor_split(lowered(net), 2), 1);
    const auto fused = lowered(local_net(net, tensor_split(net, 2), 1));
    REQUIRE(of_fused.layers.size() == fused.layers.size());
    CHECK(shapes_of(of_fused) == shapes_of(fused));
    CHECK(names_of(of_fused) == names_of(fused));
    const auto a = parameters_of(of_fused), b = parameters_of(fused);
    for (std::size_t i = 0; i < a.size(); ++i) {
        CHECK(a[i].shape == b[i].shape);
        CHECK(box_of(a[i].shape, a[i].slice).front() == box_of(b[i].shape, b[i].slice).front());
    }
}

TEST_CASE("norms that are left to ATen keep their activations behind them") {
    const auto net = dcgan("dcgan-64", 3).generator;
    CHECK(fuse(net).layers.size() == net.layers.size());
    const auto some = lowered(net, "fast,-generator.norm1,-generator.norm2:B");
    CHECK(some.layers.size() == net.layers.size() - 3);
    CHECK(some.layers.at(1).name == "norm0");
    CHECK(some.layers.at(1).kernels ==
          LayerKernels{Kernel::batch_norm, Kernel::batch_norm, Kernel::batch_norm});
    CHECK(some.layers.at(4).name == "relu1");
    CHECK(some.layers.at(6).kernels == LayerKernels{});  // half of a batch norm is none
}
