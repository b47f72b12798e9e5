#include "civitas/net/description.hpp"

#include "civitas/base/error.hpp"

#include <catch2/catch.hpp>
#include <set>

using namespace civitas;
using namespace civitas::net;
using Catch::Contains;

namespace {

std::string refusal(std::string_view name, const GanOverrides& changes = {}) {
    try {
        (void)dcgan(name, 3, changes);
    } catch (const UsageError& e) {
        return e.what();
    }
    return "accepted";
}

std::string shape_refusal(const LayerDescription& layer, ImageShape input) {
    try {
        (void)output_of(layer, input);
    } catch (const UsageError& e) {
        return e.what();
    }
    return "accepted";
}

}  // namespace

// Counts by hand: sum of in * out * 16 over the convolutions, and 2 per normalised channel.
TEST_CASE("the named nets have the documented sizes") {
    const auto small = dcgan("dcgan-64", 3);
    CHECK(small.nz == 100);
    CHECK(parameter_count(small.generator) ==
          16 * (100 * 512 + 512 * 256 + 256 * 128 + 128 * 64 + 64 * 32) + 9 * 32 * 3 + 2 * 992);
    const auto of_paper = dcgan("dcgan-64", 3, {0, {512, 256, 128, 64}, {}});
    CHECK(parameter_count(of_paper.generator) == 3576704);   // 3.58 M: Radford et al.'s G
    CHECK(parameter_count(small.discriminator) == 2765568);  // Radford et al.'s D, 3 channels
    CHECK(parameter_count(dcgan("dcgan-256", 3).generator) == 32121728);
    CHECK(parameter_count(dcgan("dcgan-512", 3).generator) == 32153024);
    CHECK(parameter_count(dcgan("dcgan-1024", 3).generator) == 32160480);
}

TEST_CASE("generators end in an image, discriminators in one number, names are unique") {
    for (const auto* name : {"dcgan-64", "dcgan-256", "dcgan-512", "dcgan-1024"}) {
        for (const std::int64_t channels : {1, 3}) {
            const auto gan = dcgan(name, channels);
            const ImageShape image{channels, gan.pixels, gan.pixels};
            CHECK(gan.generator.input == ImageShape{gan.nz, 1, 1});
            CHECK(shapes_of(gan.generator).back() == image);
            CHECK(gan.discriminator.input == image);
            CHECK(shapes_of(gan.discriminator).back() == ImageShape{1, 1, 1});
            for (const auto* net : {&gan.generator, &gan.discriminator}) {
                std::set<std::string> names;
                for (const auto& layer : net->layers) names.insert(layer.name);
                CHECK(names.size() == net->layers.size());
            }
        }
    }
}

TEST_CASE("normalisation follows every layer but G's last, D's first and D's last") {
    const auto gan = dcgan("dcgan-64", 3);
    CHECK(buffers_of(gan.generator).size() == 2 * 5);
    CHECK(buffers_of(gan.discriminator).size() == 2 * 3);
    CHECK(parameters_of(gan.generator).front().name == "deconv0.weight");
    CHECK(parameters_of(gan.generator).front().shape == std::vector<std::int64_t>{100, 512, 4, 4});
    CHECK(parameters_of(gan.discriminator).back().name == "conv4.weight");
    CHECK(buffers_of(gan.discriminator).front().name == "norm1.running_mean");
    CHECK(std::get<LeakyRelu>(gan.generator.layers[2].kind).slope == 0);
    CHECK(std::get<LeakyRelu>(gan.discriminator.layers[1].kind).slope == 0.2);
}

TEST_CASE("work is that of the direct convolutions") {
    const LayerDescription down{"down", Convolution{{3, 5, 4, 2, 1}}};
    CHECK(forward_flops(down, {3, 8, 8}) == 2.0 * 3 * 5 * 16 * 4 * 4);
    const LayerDescription up{"up", TransposedConvolution{{5, 3, 4, 2, 1}}};
    CHECK(forward_flops(up, {5, 4, 4}) == 2.0 * 3 * 5 * 16 * 4 * 4);
    CHECK(forward_flops({"act", Tanh{}}, {5, 4, 4}) == 0);
}

TEST_CASE("a net of more than 2^31 parameters is described and counted, not allocated") {
    GanOverrides changes;
    changes.generator_widths = {32768, 32768, 512, 64};
    const auto gan = dcgan("dcgan-64", 3, changes);
    const std::int64_t expected =
        16 * (100LL * 32768 + 32768LL * 32768 + 32768LL * 512 + 512 * 64 + 64 * 3) +
        2 * (32768LL * 2 + 512 + 64);
    CHECK(expected > (std::int64_t{1} << 34));
    CHECK(parameter_count(gan.generator) == expected);
    CHECK(parameters_of(gan.generator)[3].elements() == (std::int64_t{1} << 34));
    CHECK(forward_flops(gan.generator.layers[3], {32768, 4, 4}) == 2.0 * 17179869184.0 * 16);
}

TEST_CASE("changed widths and noise are used") {
    GanOverrides changes;
    changes.nz = 7;
    changes.generator_widths = {8, 6, 4, 2};
    changes.discriminator_widths = {2, 3, 4, 5};
    const auto gan = dcgan("dcgan-64", 1, changes);
    CHECK(shapes_of(gan.generator)[3] == ImageShape{8, 4, 4});
    CHECK(shapes_of(gan.discriminator)[2] == ImageShape{2, 32, 32});
    CHECK(parameters_of(gan.discriminator).back().shape == std::vector<std::int64_t>{1, 5, 4, 4});
}

TEST_CASE("with one width more the generator's last layer is a convolution of full size") {
    GanOverrides changes;
    changes.generator_widths = {8, 6, 4, 3, 2};
    const auto gan = dcgan("dcgan-64", 3, changes);
    const auto shapes = shapes_of(gan.generator);
    CHECK(shapes[shapes.size() - 3] == ImageShape{2, 64, 64});
    CHECK(shapes.back() == ImageShape{3, 64, 64});
    CHECK(parameters_of(gan.generator).back().name == "conv5.weight");
    CHECK(parameters_of(gan.generator).back().shape == std::vector<std::int64_t>{3, 2, 3, 3});
    CHECK(buffers_of(gan.generator).size() == 2 * 5);
    changes.generator_widths.push_back(2);
    CHECK_THAT(refusal("dcgan-64", changes), Contains("6 widths do not lead to the 64 pixels") &&
                                                 Contains("need 4, or one more for a last layer"));
    changes = {};
    changes.discriminator_widths = {8, 6, 4, 3, 2};
    CHECK_THAT(refusal("dcgan-64", changes),
               Contains("5 widths do not lead to") && !Contains("one more"));
}

TEST_CASE("an unknown net is refused with the nearest name") {
    CHECK_THAT(refusal("dcgan64"), Contains("unknown net 'dcgan64'") &&
                                       Contains("did you mean dcgan-64?") &&
                                       Contains("dcgan-1024"));
    CHECK_THAT(refusal("transformer"), Contains("known are dcgan-64, dcgan-256"));
}

TEST_CASE("widths that do not lead to the size are refused with both numbers") {
    GanOverrides changes;
    changes.generator_widths = {512, 256, 128};
    CHECK_THAT(refusal("dcgan-64", changes),
               Contains("generator widths 512,256,128: 3 widths do not lead to the 64 pixels") &&
                   Contains("need 4") && Contains("512,256,128,64"));
    changes = {};
    changes.discriminator_widths = {64, 0, 3, 4};
    CHECK_THAT(refusal("dcgan-64", changes), Contains("at least 1 channel"));
    changes = {};
    changes.nz = -1;
    CHECK_THAT(refusal("dcgan-64", changes), Contains("nz -1"));
}

TEST_CASE("shapes that do not fit are refused with the layer and both numbers") {
    const LayerDescription conv{"conv3", Convolution{{3, 5, 4, 1, 0}}};
    CHECK_THAT(shape_refusal(conv, {4, 8, 8}),
               Contains("layer conv3 takes 3 channels, the input has 4 (4 x 8 x 8)"));
    CHECK_THAT(shape_refusal(conv, {3, 3, 8}), Contains("conv3") && Contains("kernel 4") &&
                                                   Contains("does not fit an input of 3 x 3 x 8"));
    CHECK_THAT(shape_refusal({"norm1", BatchNorm{6}}, {5, 2, 2}), Contains("takes 6 channels"));
    CHECK_THAT(shape_refusal({"odd", Convolution{{3, 5, 4, 0, 0}}}, {3, 8, 8}),
               Contains("stride 0"));
}
