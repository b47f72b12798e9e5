#include "support/tensor.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/sampling.hpp"
#include "civitas/data/coding.hpp"
#include "civitas/random/stream.hpp"

using namespace civitas;
using namespace civitas::data;
using Catch::Matchers::Contains;

namespace {

constexpr std::int64_t net_side = 12;

std::vector<std::uint8_t> classes_of(std::int64_t side) {
    const RandomStream random(Seed{5}, Purpose::survey, {});
    std::vector<std::uint8_t> classes(static_cast<std::size_t>(side * side));
    for (std::size_t i = 0; i < classes.size(); ++i)
        classes[i] = static_cast<std::uint8_t>(random.below(3, i));
    return classes;
}

at::Tensor as_tensor(const std::vector<std::uint8_t>& classes, std::int64_t side) {
    return torch::tensor(at::ArrayRef<std::uint8_t>(classes), torch::kLong).view({side, side});
}

/// The codes as DESIGN states them, averaged by libtorch, then turned by libtorch.
at::Tensor expected(const at::Tensor& classes, Coding coding, std::int64_t factor, unsigned bits) {
    const auto is = [&](int c) { return (classes == c).to(torch::kFloat); };
    at::Tensor coded = coding == Coding::grey ? (is(2) - is(0)).unsqueeze(0)
                                              : torch::stack({is(2), is(1), is(0)}) * 2 - 1;
    coded = torch::avg_pool2d(coded, factor);
    if ((bits & 1U) != 0) coded = coded.flip({2});
    return torch::rot90(coded, bits / 2, {1, 2});
}

at::Tensor encoded(const std::vector<std::uint8_t>& classes, Scaling scaling, Coding coding,
                   Symmetry symmetry = Symmetry::identity) {
    at::Tensor image = torch::full({channels_of(coding), net_side, net_side}, 9.0F);
    encode(classes, scaling, coding, symmetry,
           {image.data_ptr<float>(), static_cast<std::size_t>(image.numel())});
    return image;
}

/// Row i holds the weights of the pixels whose centres lie around the centre of pixel i of `large`.
at::Tensor bilinear(std::int64_t large, std::int64_t small) {
    at::Tensor weights = torch::zeros({large, small}, torch::kDouble);
    for (std::int64_t i = 0; i < large; ++i) {
        const double centre = (static_cast<double>(i) + 0.5) * static_cast<double>(small) /
                                  static_cast<double>(large) -
                              0.5;
        const double inside = std::clamp(centre, 0.0, static_cast<double>(small - 1));
        const auto left = static_cast<std::int64_t>(inside);
        const double share = inside - static_cast<double>(left);
        weights[i][left] += 1 - share;
        if (share > 0) weights[i][left + 1] += share;
    }
    return weights;
}

}  // namespace

TEST_CASE("tiles are coded, averaged and turned as libtorch does it, to the bit") {
    for (const Coding coding : {Coding::colour, Coding::grey})
        for (const std::int64_t factor : {1, 2, 4, 8})
            for (unsigned bits = 0; bits < 8; ++bits) {
                const auto classes = classes_of(net_side * factor);
                const at::Tensor want =
                    expected(as_tensor(classes, net_side * factor), coding, factor, bits);
                const at::Tensor got = encoded(classes, {net_side * factor, net_side}, coding,
                                               static_cast<Symmetry>(bits));
                INFO(to_string(coding) << " factor " << factor << " symmetry " << bits);
                CHECK(torch::equal(got, want));
            }
}

/// Red, green and blue by PyTorch's words for what torchvision's Normalize does.
at::Tensor expected_image(const std::vector<std::uint8_t>& rgb, std::int64_t factor,
                          unsigned bits) {
    const std::int64_t n = net_side * factor;
    const at::Tensor mean = torch::tensor({0.485F, 0.456F, 0.406F}).view({3, 1, 1});
    const at::Tensor deviation = torch::tensor({0.229F, 0.224F, 0.225F}).view({3, 1, 1});
    const at::Tensor bytes = torch::tensor(at::ArrayRef<std::uint8_t>(rgb), torch::kLong);
    at::Tensor image = bytes.view({n, n, 3}).permute({2, 0, 1}).to(torch::kFloat).contiguous();
    image = (torch::avg_pool2d(image, factor) / 255 - mean) / deviation;
    if ((bits & 1U) != 0) image = image.flip({2});
    return torch::rot90(image, bits / 2, {1, 2});
}

std::vector<std::uint8_t> image_of(std::int64_t side) {
    const RandomStream random(Seed{6}, Purpose::survey, {});
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(side * side * 3));
    for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = static_cast<std::uint8_t>(random.below(256, i));
    return bytes;
}

TEST_CASE("images are normalised, averaged and turned as libtorch does it, to the bit") {
    for (const std::int64_t factor : {1, 2, 4, 8})
        for (unsigned bits = 0; bits < 8; ++bits) {
            const auto rgb = image_of(net_side * factor);
            INFO("factor " << factor << " symmetry " << bits);
            CHECK(torch::equal(encoded(rgb, {net_side * factor, net_side}, Coding::rgb,
                                       static_cast<Symmetry>(bits)),
                               expected_image(rgb, factor, bits)));
        }
}

TEST_CASE("white, black and the mean have the values that the published numbers say") {
    const auto of = [](std::array<std::uint8_t, 3> pixel) {
        std::array<float, 3> image{};
        encode(pixel, {1, 1}, Coding::rgb, Symmetry::identity, image);
        return image;
    };
    CHECK(of({255, 255, 255})[0] == Approx((1 - 0.485) / 0.229));
    CHECK(of({255, 255, 255})[1] == Approx((1 - 0.456) / 0.224));
    CHECK(of({0, 0, 0})[2] == Approx(-0.406 / 0.225));
    CHECK(of({51, 0, 0})[0] == Approx((0.2 - 0.485) / 0.229));
    std::array<float, 3> image{};
    CHECK_THROWS_WITH(
        encode(std::array<std::uint8_t, 1>{9}, {1, 1}, Coding::rgb, Symmetry::identity, image),
        Contains("a whole tile is encoded"));
    CHECK_THROWS_WITH(decode(torch::zeros({3, 2, 2}), Coding::rgb, 2),
                      Contains("an image has no classes"));
}

TEST_CASE("the eight symmetries are different") {
    const auto classes = classes_of(net_side);
    for (unsigned a = 0; a < 8; ++a)
        for (unsigned b = 0; b < a; ++b)
            CHECK_FALSE(torch::equal(
                encoded(classes, {net_side, net_side}, Coding::colour, static_cast<Symmetry>(a)),
                encoded(classes, {net_side, net_side}, Coding::colour, static_cast<Symmetry>(b))));
}

TEST_CASE("a single pixel has all symmetries") {
    std::array<float, 3> image{};
    encode(std::vector<std::uint8_t>{1}, {1, 1}, Coding::colour, Symmetry{5}, image);
    CHECK(image == std::array<float, 3>{-1, 1, -1});
}

TEST_CASE("sizes that cannot be averaged are wrong use") {
    CHECK(Scaling{256, 64}.factor() == 4);
    for (const Scaling bad :
         {Scaling{100, 64}, Scaling{192, 64}, Scaling{1024, 64}, Scaling{32, 64}, Scaling{0, 0}})
        CHECK_THROWS_AS(bad.factor(), UsageError);
    CHECK_THROWS_WITH((Scaling{100, 64}.factor()),
                      Contains("tiles of 100 pixels cannot be averaged to the net's 64") &&
                          Contains("Hint: civitas-preprocess --pixels 64") &&
                          Contains("for a classifier --pixels 100 or a half"));
}

TEST_CASE("codings have names") {
    CHECK(parse_coding("grey") == Coding::grey);
    for (const char* name : {"colour", "grey", "rgb"}) CHECK(to_string(parse_coding(name)) == name);
    for (const char* name : {"all", "flip", "none"})
        CHECK(to_string(parse_symmetries(name)) == name);
    for (const char* name : {"stored", "source"})
        CHECK(to_string(parse_label_source(name)) == name);
    CHECK_THROWS_WITH(parse_symmetries("turn"),
                      Contains("unknown choice of symmetries 'turn'. Hint: all, flip or none"));
    CHECK_THROWS_WITH(parse_label_source("file"),
                      Contains("unknown source of labels 'file'. Hint: stored or source"));
    CHECK_THROWS_WITH(parse_coding("color"),
                      Contains("unknown coding 'color'") && Contains("Hint"));
}

TEST_CASE("decoding takes back what encoding did") {
    const auto classes = classes_of(net_side);
    const at::Tensor counted = torch::bincount(as_tensor(classes, net_side).flatten(), {}, 3);
    for (const Coding coding : {Coding::colour, Coding::grey}) {
        const Decoded plan =
            decode(encoded(classes, {net_side, net_side}, coding), coding, net_side);
        CHECK(plan.classes == classes);
        for (int c = 0; c < 3; ++c)
            CHECK(plan.cover.at(static_cast<std::size_t>(c)) ==
                  Approx(counted[c].item<double>() / (net_side * net_side)));
    }
}

TEST_CASE("soft plans are enlarged bilinearly before the strongest class is taken") {
    torch::manual_seed(1);
    const at::Tensor soft = torch::rand({3, net_side, net_side}) * 2 - 1;
    const at::Tensor weights = bilinear(48, net_side);
    const at::Tensor large =
        torch::matmul(torch::matmul(weights, soft.to(torch::kDouble)), weights.t());
    const at::Tensor want = 2 - large.argmax(0);  // channels are building, road, other
    const Decoded plan = decode(soft, Coding::colour, 48);
    CHECK(torch::equal(as_tensor(plan.classes, 48), want));
    const at::Tensor means = ((soft + 1) / 2).mean({1, 2});
    for (int c = 0; c < 3; ++c)
        CHECK(plan.cover.at(static_cast<std::size_t>(c)) == Approx(means[2 - c].item<float>()));
}

TEST_CASE("grey plans have thresholds, and shares in between") {
    const at::Tensor grey = torch::tensor({-0.75F, -0.25F, 0.25F, 0.75F}).view({1, 2, 2});
    const Decoded plan = decode(grey, Coding::grey, 2);
    CHECK(plan.classes == std::vector<std::uint8_t>{0, 1, 1, 2});
    CHECK(plan.cover == std::array<float, 3>{0.25F, 0.5F, 0.25F});
}

TEST_CASE("squares of a larger plan are enlarged as the whole is") {
    const std::int64_t side = 5, columns = 3, pixels = 20;
    torch::manual_seed(4);
    const at::Tensor whole = torch::rand({3, side * columns, side * columns}) * 2 - 1;
    const Decoded expected = decode(whole, Coding::colour, pixels * columns);
    const at::Tensor wide = torch::replication_pad2d(whole.unsqueeze(0), {1, 1, 1, 1}).squeeze(0);
    std::int64_t wrong = 0;
    for (std::int64_t row = 0; row < columns; ++row)
        for (std::int64_t column = 0; column < columns; ++column) {
            const at::Tensor part =
                wide.narrow(1, row * side, side + 2).narrow(2, column * side, side + 2);
            const Decoded plan = decode_part(part, Coding::colour, pixels);
            REQUIRE(std::ssize(plan.classes) == pixels * pixels);
            for (std::int64_t i = 0; i < pixels * pixels; ++i) {
                const std::int64_t y = row * pixels + i / pixels, x = column * pixels + i % pixels;
                wrong += plan.classes[static_cast<std::size_t>(i)] !=
                         expected.classes[static_cast<std::size_t>(y * pixels * columns + x)];
            }
            const at::Tensor inner =
                whole.narrow(1, row * side, side).narrow(2, column * side, side);
            CHECK(plan.cover == decode(inner, Coding::colour, side).cover);
        }
    CHECK(wrong == 0);
    CHECK_THROWS_WITH(decode_part(whole, Coding::colour, 20), Contains("an edge of one pixel"));
}

TEST_CASE("any kind of tensor is decoded, ties to the least built") {
    const at::Tensor tie = torch::zeros({3, 2, 2}, torch::kBFloat16);
    CHECK(decode(tie, Coding::colour, 2).classes == std::vector<std::uint8_t>{0, 0, 0, 0});
    const at::Tensor wide = torch::rand({2, 2, 3}, torch::kDouble) * 2 - 1;
    const auto turned = wide.permute({2, 0, 1});
    CHECK(decode(turned, Coding::colour, 2).classes ==
          decode(turned.contiguous(), Coding::colour, 2).classes);
    CHECK_THROWS_WITH(decode(tie, Coding::grey, 2), Contains("channels of its coding"));
}
