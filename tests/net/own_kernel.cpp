#include "civitas/net/own_kernel.hpp"

#include "civitas/base/error.hpp"
#include "civitas/net/tensor_split.hpp"

#include <catch2/catch.hpp>

using namespace civitas;
using namespace civitas::net;
using Catch::Contains;

namespace {

constexpr Instructions avx2{.vectors = true};

OwnKernel of(const LayerKind& kind, ImageShape input, const KernelHost& host) {
    return own_kernel({"layer", kind}, input, host);
}
Convolution down(std::int64_t in, std::int64_t out) { return {{in, out, 4, 2, 1}}; }
TransposedConvolution up(std::int64_t in, std::int64_t out) { return {{in, out, 4, 2, 1}}; }

}  // namespace

TEST_CASE("the text of a choice is read back, and what is none is refused") {
    for (const char* words : {"aten", "fast", "fast,-adam", "fast,-discriminator.conv3:FW",
                              "fast,-adam,-generator.deconv1:B,-generator.norm2"})
        CHECK(to_string(KernelChoice::parse(words)) == words);
    CHECK(parse_kernels("auto").words() == "auto");
    CHECK(parse_kernels("auto").choice == KernelChoice(KernelSet::fast));
    CHECK(to_string(KernelChoice::parse("fast,-a:W,-a:FB")) == "fast,-a");
    for (const char* words : {"", "cudnn", "fast,", "fast,adam", "fast,-", "fast,-a:", "fast,-a:X",
                              "faster", "aten,-adam", "auto,-adam"})
        CHECK_THROWS_WITH(parse_kernels(words), Contains(text("unknown kernels '", words,
                                                              "'. Hint: aten, fast, auto, ")));
    const auto gan = dcgan("dcgan-64", 3);
    const std::vector nets{gan.generator, gan.discriminator};
    const auto check = [&](const char* words) {
        check_layers(KernelChoice::parse(words), gan.name, nets);
    };
    CHECK_NOTHROW(check("fast,-adam,-generator.norm2"));
    CHECK_THROWS_WITH(check("fast,-generator.nrom2"),
                      Contains("--kernels fast,-generator.nrom2: dcgan-64 has no layer "
                               "generator.nrom2. Hint: did you mean generator.norm2?"));
}

TEST_CASE("a choice tells which passes of a layer are ours") {
    const auto choice = KernelChoice::parse("fast,-g.a,-g.b:FW,-adam");
    CHECK(choice.ours("g.a") == no_pass);
    CHECK(choice.ours("g.b") == Passes{.backward_input = true});
    CHECK(choice.ours("g.c") == all_passes);
    CHECK(choice.adam() == KernelSet::aten);
    CHECK(KernelChoice::parse("fast").adam() == KernelSet::fast);
    CHECK(KernelChoice().ours("g.c") == no_pass);
    CHECK(letters_of({.forward = true, .backward_weights = true}) == "FW");
}

TEST_CASE("which kernel there is follows from layer, image, numbers and instructions") {
    const KernelHost fp32{Precision::fp32, avx2};
    CHECK(of(down(64, 64), {64, 8, 8}, fp32).kernel == Kernel::strided);
    CHECK(of(down(64, 32), {64, 8, 8}, fp32).kernel == Kernel::strided);
    CHECK(of(down(64, 31), {64, 8, 8}, fp32).left == "fewer than 32 channels");
    const Convolution to_picture{{32, 3, 3, 1, 1}};
    CHECK(of(to_picture, {32, 8, 7}, fp32).kernel == Kernel::picture);
    CHECK(of(to_picture, {32, 8, 7}, fp32).passes == all_passes);
    CHECK(of(to_picture, {32, 8, 7}, {}).left == "no AVX2");
    CHECK(of(Convolution{{33, 3, 3, 1, 1}}, {33, 8, 8}, fp32).left ==
          "33 channels are no multiple of 32");
    CHECK(of(TransposedConvolution{{32, 3, 3, 1, 1}}, {32, 8, 8}, fp32).kernel == Kernel::aten);
    CHECK(of(Convolution{{32, 3, 3, 1, 1, true}}, {32, 8, 8}, fp32).left == "a bias");
    CHECK(of(Convolution{{32, 4, 3, 1, 1}}, {32, 8, 8}, fp32).left ==
          "kernel 3, stride 1, padding 1");
    CHECK(of(down(64, 64), {64, 8, 7}, fp32).left == "an image of odd sides");
    CHECK(of(up(64, 64), {64, 7, 7}, fp32).passes == all_passes);
    CHECK(of(down(64, 64), {64, 8, 8}, {}).left == "no AVX2");
    CHECK(of(down(3, 8), {3, 8, 8}, fp32).passes ==
          Passes{.backward_input = true, .backward_weights = true});
    CHECK(of(up(8, 3), {8, 8, 8}, fp32).passes ==
          Passes{.forward = true, .backward_weights = true});
    CHECK(of(Convolution{{8, 8, 3, 2, 1}}, {8, 8, 8}, fp32).left ==
          "kernel 3, stride 2, padding 1");
    CHECK(of(Convolution{{512, 1, 4, 1, 0}}, {512, 4, 4}, {}).kernel == Kernel::product);
    CHECK(of(Convolution{{512, 1, 4, 1, 0}}, {512, 5, 4}, {}).kernel == Kernel::aten);
    CHECK(of(TransposedConvolution{{9, 8, 4, 1, 0}}, {9, 1, 1}, {}).kernel == Kernel::product);
    CHECK(of(BatchNorm{8}, {8, 4, 4}, {}).kernel == Kernel::batch_norm);
    CHECK(of(BatchNorm{8}, {8, 4, 4}, {.sync_batch_norm = true}).kernel == Kernel::aten);
    CHECK(of(Tanh{}, {3, 4, 4}, {}).passes == Passes{.forward = true});
    CHECK(of(LeakyRelu{}, {3, 4, 4}, fp32).kernel == Kernel::aten);
    const KernelHost gpu{.instructions = avx2, .gpu = true};
    CHECK(of(BatchNorm{8}, {8, 4, 4}, gpu).kernel == Kernel::batch_norm);
    CHECK(of(Tanh{}, {3, 4, 4}, gpu).left == "a GPU");
    CHECK(of(down(64, 64), {64, 8, 8}, gpu).kernel == Kernel::strided);
    CHECK(of(down(3, 64), {3, 8, 8}, gpu).kernel == Kernel::strided);
    CHECK(of(down(64, 31), {64, 8, 8}, gpu).left == "fewer than 32 channels");
    CHECK(of(down(64, 64), {64, 7, 8}, gpu).left == "an image of odd sides");
    const KernelHost in_bf16{.precision = Precision::bf16, .instructions = avx2, .gpu = true};
    CHECK(of(down(64, 64), {64, 8, 8}, in_bf16).left == "a GPU, for which cuDNN has it");

    const auto bf16 = [](Instructions instructions) {
        return KernelHost{Precision::bf16, instructions};
    };
    CHECK(of(down(64, 64), {64, 8, 8}, bf16({})).left == "no AVX2");
    CHECK(of(down(64, 64), {64, 8, 8}, bf16(avx2)).kernel == Kernel::strided);
    CHECK(of(down(3, 8), {3, 8, 8}, bf16(avx2)).kernel == Kernel::thin);
    CHECK(of(down(3, 7), {3, 8, 8}, bf16(avx2)).left == "7 channels are no pairs of bf16");
    CHECK(of(to_picture, {32, 8, 8}, bf16({})).left == "no AVX2");
    CHECK(of(to_picture, {32, 8, 8}, bf16(avx2)).kernel == Kernel::picture);
    for (const LayerKind& kind : {LayerKind(down(64, 64)), LayerKind(BatchNorm{64}),
                                  LayerKind(to_picture), LayerKind(Convolution{{64, 1, 4, 1, 0}})})
        CHECK(of(kind, {64, 4, 4}, {Precision::fp64, avx2}).left == "fp64");
}

TEST_CASE("a layer of a net has the kernels that are chosen and that there are") {
    const auto net = dcgan("dcgan-64", 3, {0, {512, 256, 128, 64}, {}}).generator;
    KernelOptions options = parse_kernels("fast,-generator.deconv1:W,-generator.deconv4:F");
    options.host.instructions = avx2;
    const auto kernels = [&](const NetDescription& of, std::size_t layer) {
        return with_kernels(of, options).layers.at(layer).kernels;
    };
    using enum Kernel;
    CHECK(kernels(net, 0) == LayerKernels{product, product, product});
    CHECK(kernels(net, 3) == LayerKernels{strided, strided, aten});
    CHECK(kernels(net, 12) == LayerKernels{aten, aten, thin});
    CHECK(by_aten(with_kernels(net, options)).layers.at(0).kernels == LayerKernels{});
    // Of parts with fewer channels, those of the part.
    const auto part = local_net(net, tensor_split(net, 4), 0);
    const auto named = [&](const char* name) {
        const auto all = with_kernels(part, options).layers;
        const auto found = std::find_if(all.begin(), all.end(),
                                        [&](const auto& layer) { return layer.name == name; });
        REQUIRE(found != all.end());
        return found->kernels;
    };
    CHECK(named("deconv3").forward == aten);
    CHECK(named("deconv1") == LayerKernels{strided, strided, aten});
}
