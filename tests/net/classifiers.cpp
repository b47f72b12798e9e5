#include "civitas/net/classifiers.hpp"

#include "civitas/base/error.hpp"
#include "civitas/net/tensor_split.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>

using namespace civitas;
using namespace civitas::net;
using Catch::Contains;

namespace {

/// The weights of torchvision's model of this name, as its documentation lists them.
struct Published {
    const char* name;
    std::int64_t parameters;
    double billion_multiply_adds;
};
constexpr std::array published{
    Published{"vgg-11", 132863336, 7.61}, Published{"vgg-16", 138357544, 15.47},
    Published{"resnet-18", 11689512, 1.81}, Published{"resnet-50", 25557032, 4.09}};

std::optional<ParameterSpec> parameter(const NetDescription& net, const std::string& name) {
    for (const auto& p : parameters_of(net))
        if (p.name == name) return p;
    return std::nullopt;
}

using Shape = std::vector<std::int64_t>;
Shape shape_of(const NetDescription& net, const std::string& name) {
    const auto found = parameter(net, name);
    return found ? found->shape : Shape{};
}

/// Before the layer of this name.
ImageShape input_of(const NetDescription& net, std::string_view name) {
    const auto shapes = shapes_of(net);
    for (std::size_t i = 0; i < net.layers.size(); ++i)
        if (net.layers[i].name == name) return shapes[i];
    return {};
}

void add_names(std::vector<std::string>& names, const std::vector<LayerDescription>& layers) {
    for (const auto& layer : layers) {
        names.push_back(layer.name);
        for (const auto& net : nets_inside(layer, {})) add_names(names, net.layers);
    }
}

}  // namespace

TEST_CASE("classifiers have the parameters and the work that torchvision publishes") {
    REQUIRE(classifier_names().size() == published.size());
    for (const Published& model : published) {
        const auto made = classifier(model.name, 3, 224, 1000);
        INFO(model.name);
        CHECK(made.name == model.name);
        CHECK((made.pixels == 224 && made.classes == 1000));
        CHECK(made.net.name == "classifier");
        CHECK(parameter_count(made.net) == model.parameters);
        CHECK(forward_flops(made.net) / 2e9 == Approx(model.billion_multiply_adds).margin(0.005));
        CHECK(shapes_of(made.net).back() == ImageShape{1000, 1, 1});
        std::vector<std::string> names;
        add_names(names, made.net.layers);
        CHECK(std::set<std::string>(names.begin(), names.end()).size() == names.size());
    }
}

TEST_CASE("parameters and running statistics are named as in torchvision's state dicts") {
    const auto vgg = classifier("vgg-16", 3, 224, 1000).net;
    CHECK(parameters_of(vgg).front().name == "features.0.weight");
    CHECK(shape_of(vgg, "features.28.weight") == Shape{512, 512, 3, 3});
    CHECK(shape_of(vgg, "features.28.bias") == Shape{512});
    CHECK(shape_of(vgg, "classifier.0.weight") == Shape{4096, 25088});
    CHECK(shape_of(vgg, "classifier.3.weight") == Shape{4096, 4096});
    CHECK(parameters_of(vgg).back().name == "classifier.6.bias");
    CHECK(buffers_of(vgg).empty());

    const auto resnet = classifier("resnet-50", 3, 224, 1000).net;
    CHECK(shape_of(resnet, "conv1.weight") == Shape{64, 3, 7, 7});
    CHECK(shape_of(resnet, "layer1.0.conv3.weight") == Shape{256, 64, 1, 1});
    CHECK(shape_of(resnet, "layer1.0.downsample.0.weight") == Shape{256, 64, 1, 1});
    CHECK(shape_of(resnet, "layer1.0.downsample.1.bias") == Shape{256});
    CHECK(shape_of(resnet, "layer4.2.conv2.weight") == Shape{512, 512, 3, 3});
    CHECK(shape_of(resnet, "fc.weight") == Shape{1000, 2048});
    CHECK_FALSE(parameter(resnet, "layer1.1.downsample.0.weight"));
    CHECK(buffers_of(resnet).front().name == "bn1.running_mean");
    CHECK(buffers_of(resnet).size() == 2 * 53);
    CHECK_FALSE(parameter(classifier("resnet-18", 3, 224, 10).net, "layer1.0.downsample.0.weight"));
}

TEST_CASE("small images have smaller heads and stems") {
    const auto vgg = [](std::int64_t pixels) { return classifier("vgg-11", 3, pixels, 10).net; };
    CHECK(input_of(vgg(32), "classifier.0") == ImageShape{512, 1, 1});
    CHECK(input_of(vgg(100), "classifier.0") == ImageShape{512, 3, 3});
    CHECK(input_of(vgg(512), "avgpool") == ImageShape{512, 16, 16});
    CHECK(input_of(vgg(512), "classifier.0") == ImageShape{512, 7, 7});
    const auto resnet = [](std::int64_t pixels) {
        return classifier("resnet-18", 1, pixels, 10).net;
    };
    CHECK(shape_of(resnet(32), "conv1.weight") == Shape{64, 1, 3, 3});
    CHECK(input_of(resnet(32), "layer1.0") == ImageShape{64, 32, 32});
    CHECK(input_of(resnet(8), "avgpool") == ImageShape{512, 1, 1});
    CHECK(shape_of(resnet(33), "conv1.weight") == Shape{64, 1, 7, 7});
    CHECK(input_of(resnet(64), "layer1.0") == ImageShape{64, 16, 16});
    CHECK(input_of(resnet(32), "avgpool") == ImageShape{512, 4, 4});
}

TEST_CASE("initial weights have the deviations of their papers") {
    const auto net = classifier("resnet-18", 3, 224, 1000).net;
    CHECK(parameter(net, "conv1.weight")->deviation == Approx(std::sqrt(2.0 / (64 * 49))));
    CHECK(parameter(net, "layer2.0.conv1.weight")->deviation == Approx(std::sqrt(2.0 / (128 * 9))));
    CHECK(parameter(net, "bn1.weight")->initial == Initializer::one);
    CHECK(parameter(net, "bn1.bias")->initial == Initializer::zero);
    CHECK(parameter(net, "fc.weight")->deviation == 0.01);
    CHECK(parameter(net, "fc.bias")->initial == Initializer::zero);
    const auto vgg = classifier("vgg-11", 3, 32, 10).net;
    CHECK(parameter(vgg, "features.0.bias")->initial == Initializer::zero);
    CHECK(parameter(dcgan("dcgan-64", 3).generator, "deconv0.weight")->deviation == 0.02);
}

TEST_CASE("classifiers that cannot be are refused with what could be") {
    CHECK_THROWS_AS(classifier("resnet18", 3, 224, 10), UsageError);
    CHECK_THROWS_WITH(classifier("resnet18", 3, 224, 10),
                      Contains("unknown classifier 'resnet18'") &&
                          Contains("Hint: did you mean resnet-18? Known are vgg-11, vgg-16"));
    CHECK_THROWS_WITH(classifier("x", 3, 224, 10), Contains("Hint: known are vgg-11"));
    CHECK_THROWS_WITH(classifier("vgg-11", 3, 31, 10),
                      Contains("vgg-11 on images of 31 x 31 pixels: it needs 32 x 32") &&
                          Contains("Hint: larger images"));
    CHECK_THROWS_WITH(classifier("resnet-50", 3, 7, 10), Contains("it needs 8 x 8"));
    CHECK_THROWS_WITH(classifier("resnet-50", 3, 8, 1),
                      Contains("resnet-50 with 1 classes: it needs 2 to tell apart") &&
                          Contains("Hint: data of more classes, or --classes of at least 2"));
}

TEST_CASE("the tensor axis divides every weight of a classifier") {
    for (const char* name : {"vgg-11", "resnet-18", "resnet-50"})
        for (const int parts : {2, 4}) {
            const auto whole = classifier(name, 3, 32, 8).net;
            const auto plan = tensor_split(whole, parts);
            const auto wanted = parameters_of(whole);
            for (int part = 0; part < parts; ++part) {
                const auto local = local_net(whole, plan, part);
                INFO(name << ", part " << part << " of " << parts);
                CHECK(shapes_of(local).back() == shapes_of(whole).back());
                const auto mine = parameters_of(local);
                REQUIRE(mine.size() == wanted.size());
                for (std::size_t i = 0; i < mine.size(); ++i) {
                    CHECK(mine[i].name == wanted[i].name);
                    CHECK(logical_shape(mine[i].shape, mine[i].slice) == wanted[i].shape);
                    CHECK(mine[i].deviation == wanted[i].deviation);
                    if (mine[i].shape.size() > 1)
                        CHECK(mine[i].elements() * parts == wanted[i].elements());
                }
                CHECK(values_exchanged(local) > 0);
            }
        }
    CHECK_THROWS_WITH(tensor_split(classifier("resnet-18", 3, 32, 8).net, 65),
                      Contains("tensor=65 is more than the 64 channels of the narrowest layer"));
}
