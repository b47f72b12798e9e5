#include "cases.hpp"

#include "civitas/kernels/picture.hpp"
#include "civitas/kernels/thin.hpp"
#include "civitas/simd/instruction_set.hpp"
#include "civitas/strided/convolution.hpp"

using namespace civitas;
using namespace civitas::nn;
using namespace civitas::nn::test;

namespace {

/// How far each result of F, B and W is from autograd in double.
std::vector<double> errors(const Case& c, at::ScalarType type,
                           const std::vector<net::LayerDescription>& layers) {
    const auto numbers = random_numbers(layers, type);
    const auto x = random_like(c.input, type, 3);
    const auto gy = random_like(output_shape(c), type, 5);
    const auto made = run(make_stage(layers, numbers), numbers, x, gy);
    const auto truth = run_twin(twin_net(layers, numbers), x, gy);
    CHECK(made.y.scalar_type() == type);
    CHECK(made.gx.scalar_type() == type);
    CHECK(made.y.is_contiguous(at::MemoryFormat::ChannelsLast));
    CHECK(made.gx.is_contiguous(at::MemoryFormat::ChannelsLast));
    std::vector<double> all{apart(made.y, truth.y), apart(made.gx, truth.gx)};
    for (std::size_t i = 0; i < truth.gradients.size(); ++i)
        all.push_back(apart(made.gradients.at(i), truth.gradients[i]));
    return all;
}

/// Layers at the ends of nets, of which some F, B or W is by ATen in no case.
std::vector<Case> by_kernels() {
    return {{{"first", net::TransposedConvolution{sizes(256, 1024, 4, 1, 0)}}, {8, 256, 1, 1}},
            {{"last", net::Convolution{sizes(512, 1, 4, 1, 0)}}, {8, 512, 4, 4}},
            {{"norm", net::BatchNormActivation{{64}, {0}}}, {4, 64, 32, 32}},
            {{"full_size", net::Convolution{sizes(32, 3, 3, 1, 1)}}, {4, 32, 20, 37}}};
}

/// How much further from the truth than ATen's a result may be. Winograd's sums and differences are
/// rounded to bf16 before they are multiplied; tiles need neither.
double allowance(const Case& c, at::ScalarType type) {
    const bool strided = by_ours(c, type)[0].kernels.forward == net::Kernel::strided;
    const bool tiles = simd::has_amx();
    return strided && type == at::kBFloat16 && !tiles ? 3.5 : 2;
}

}  // namespace

TEST_CASE("layers by kernels are nearly as near to autograd in double as those by ATen") {
    for (const auto type : {at::kDouble, at::kFloat, at::kBFloat16}) {
        for (const auto& c : cases()) {
            INFO(c.layer.name << " in " << c10::toString(type));
            const auto ours = errors(c, type, by_ours(c, type)), aten = errors(c, type, {c.layer});
            const double rounding = type == at::kBFloat16 ? 1e-4 : 1e-7;
            for (std::size_t i = 0; i < aten.size(); ++i) {
                INFO("result " << i);
                CHECK(ours[i] <= allowance(c, type) * aten[i] + rounding);
            }
        }
    }
}

TEST_CASE("layers by kernels have the same bits on any number of threads") {
    for (const auto type : {at::kFloat, at::kBFloat16}) {
        for (const auto& c : by_kernels()) {
            const auto layers = by_ours(c, type);
            const auto numbers = random_numbers(layers, type);
            const auto stage = make_stage(layers, numbers);
            const auto x = random_like(c.input, type, 3);
            const auto gy = random_like(output_shape(c), type, 5);
            const auto one = run(stage, numbers, x, gy);
            INFO(c.layer.name << " in " << c10::toString(type));
            for (const int threads : {2, 4}) {
                at::set_num_threads(threads);
                const auto more = run(stage, numbers, x, gy);
                at::set_num_threads(1);
                CHECK(torch::equal(more.y, one.y));
                CHECK(torch::equal(more.gx, one.gx));
                for (std::size_t i = 0; i < one.gradients.size(); ++i)
                    CHECK(torch::equal(more.gradients[i], one.gradients[i]));
            }
        }
    }
}

TEST_CASE("generation by kernels gives a sample the same bits in any batch") {
    auto all = by_kernels();
    all.push_back({{"up", net::TransposedConvolution{sizes(64, 3, 4, 2, 1)}}, {8, 64, 20, 20}});
    for (const auto type : {at::kFloat, at::kBFloat16}) {
        for (const auto& c : all) {
            const auto layers = by_ours(c, type);
            const auto stage = make_stage(layers, random_numbers(layers, type));
            const auto x = random_like(c.input, type, 3);
            INFO(c.layer.name << " in " << c10::toString(type));
            const auto one = x.slice(0, 2, 3).contiguous(at::MemoryFormat::ChannelsLast);
            CHECK(torch::equal(stage.evaluate(one), stage.evaluate(x).slice(0, 2, 3)));
        }
    }
}

TEST_CASE("a sample evaluated as one of several has the same bits in any batch, on any threads") {
    const net::NetDescription net{
        "net",
        {24, 1, 1},
        {{"first", net::TransposedConvolution{sizes(24, 64, 4, 1, 0)}},
         {"up", net::TransposedConvolution{sizes(64, 40, 4, 2, 1)}},
         {"norm", net::BatchNorm{40}},
         {"same", net::Convolution{sizes(40, 33, 3, 1, 1)}},  // which nothing of ours computes
         {"tanh", net::Tanh{}}}};
    const auto numbers = random_numbers(net.layers, at::kFloat);
    const auto x = random_like({5, 24, 1, 1}, at::kFloat, 3);
    for (const auto& layers : {net.layers, for_evaluation(net, at::kFloat, at::kCPU).layers}) {
        const auto stage = make_stage(layers, numbers);
        const auto all = stage.evaluate_each(x);
        CHECK(apart(all, make_stage(net.layers, numbers).evaluate(x)) < 1e-5);
        for (const int threads : {1, 2, 4}) {
            at::set_num_threads(threads);
            const auto again = stage.evaluate_each(x),
                       alone = stage.evaluate_each(x.slice(0, 2, 3));
            at::set_num_threads(1);
            CHECK(torch::equal(again, all));
            CHECK(torch::equal(alone, all.slice(0, 2, 3)));
        }
    }
}

TEST_CASE("a batch norm with its activation keeps no more than the batch norm") {
    const Case alone{{"norm", net::BatchNorm{16}}, {4, 16, 8, 8}};
    const Case both{{"norm", net::BatchNormActivation{{16}, {0.2}}}, {4, 16, 8, 8}};
    const auto kept_by = [](const std::vector<net::LayerDescription>& layers) {
        Stage::Context kept;
        const auto x = random_like({4, 16, 8, 8}, at::kFloat, 3);
        (void)make_stage(layers, random_numbers(layers, at::kFloat)).forward(x, kept);
        return kept.bytes();
    };
    const auto ours = kept_by(by_ours(both, at::kFloat));
    CHECK(ours == kept_by(by_ours(alone, at::kFloat)));
    CHECK(ours == kept_by({alone.layer}));
    CHECK(kept_by({both.layer}) == ours + 4 * 16 * 8 * 8 * 4);
}

TEST_CASE("B of a batch norm writes over a gradient that nobody else has, and over no other") {
    const Case c{{"norm", net::BatchNormActivation{{7}, {0.2}}}, {3, 7, 5, 4}};
    const auto layers = by_ours(c, at::kFloat);
    const auto stage = make_stage(layers, random_numbers(layers, at::kFloat));
    const auto x = random_like({3, 7, 5, 4}, at::kFloat, 3);
    const auto gy = random_like({3, 7, 5, 4}, at::kFloat, 4);
    const auto backward = [&](at::Tensor gradient) {
        Stage::Context kept;
        (void)stage.forward(x, kept);
        return stage.backward_input(std::move(gradient), kept, true, true);
    };
    const auto before = gy.clone();
    const auto gx = backward(gy);
    CHECK(torch::equal(gy, before));
    auto whole = torch::cat({gy, gy}).contiguous(at::MemoryFormat::ChannelsLast);
    CHECK(torch::equal(backward(whole.slice(0, 0, 3)), gx));
    CHECK(torch::equal(whole.slice(0, 0, 3), before));
    auto alone = gy.clone();
    const auto* memory = alone.const_data_ptr();
    const auto over = backward(std::move(alone));
    CHECK(over.const_data_ptr() == memory);
    CHECK(torch::equal(over, gx));
}

TEST_CASE("a leaky ReLU writes over numbers that nobody else has, and over no others") {
    const std::vector<net::LayerDescription> layers{{"first", net::LeakyRelu{0.2}},
                                                    {"second", net::LeakyRelu{0.1}}};
    const auto stage = make_stage(layers, random_numbers(layers, at::kFloat));
    const auto x = random_like({3, 7, 5, 4}, at::kFloat, 3);
    const auto gy = random_like({3, 7, 5, 4}, at::kFloat, 4);
    const auto x_before = x.clone(), gy_before = gy.clone();
    Stage::Context kept;
    const auto y = stage.forward(x, kept);
    const auto gx = stage.backward_input(gy, kept, true, true);
    CHECK(torch::equal(x, x_before));
    CHECK(torch::equal(gy, gy_before));

    const auto backward_over = [&](at::Tensor mine, at::Tensor gradient) {
        const auto *of_x = mine.const_data_ptr(), *of_gradient = gradient.const_data_ptr();
        at::Tensor first = stage.forward_of(0, std::move(mine), kept);
        CHECK(first.const_data_ptr() == of_x);
        // The first layer keeps what it made, so the second leaves it.
        const at::Tensor second = stage.forward_of(1, std::move(first), kept);
        CHECK(second.const_data_ptr() != of_x);
        CHECK(torch::equal(second, y));
        const auto over = stage.backward_input(std::move(gradient), kept, true, true);
        CHECK(over.const_data_ptr() == of_gradient);
        CHECK(torch::equal(over, gx));
    };
    backward_over(x.clone(), gy.clone());
}

TEST_CASE("W of a batch norm with its activation whose B was left out gives the same leaf") {
    const Case c{{"norm", net::BatchNormActivation{{7}, {0.2}}}, {3, 7, 5, 4}};
    const auto numbers = random_numbers({c.layer}, at::kFloat);
    const auto x = random_like({3, 7, 5, 4}, at::kFloat, 3);
    const auto gy = random_like({3, 7, 5, 4}, at::kFloat, 4);
    for (const auto& layers : {by_ours(c, at::kFloat), std::vector{c.layer}}) {
        const auto stage = make_stage(layers, numbers);
        const auto whole = run(stage, numbers, x, gy, true);
        const auto part = run(stage, numbers, x, gy, false);
        CHECK(!part.gx.defined());
        for (std::size_t i = 0; i < 2; ++i)
            CHECK(torch::equal(whole.gradients[i], part.gradients[i]));
    }
}

TEST_CASE("each of F, B and W is by the kernel that its layer names") {
    const auto type = at::kFloat;
    for (const Case& c : cases()) {
        const auto ours = by_ours(c, type);
        const bool norm = ours[0].kernels.forward == net::Kernel::batch_norm;
        if (norm || net::parameters_of(c.layer).empty()) continue;
        const auto numbers = random_numbers(ours, type);
        const auto x = random_like(c.input, type, 3);
        const auto gy = random_like(output_shape(c), type, 5);
        const auto made = [&](const net::LayerKernels& kernels) {
            auto layers = ours;
            layers[0].kernels = kernels;
            return run(make_stage(layers, numbers), numbers, x, gy);
        };
        const auto by = ours[0].kernels;
        const auto all = made(by), aten = made({});
        INFO(c.layer.name);
        const auto f = made({.forward = by.forward});
        CHECK((torch::equal(f.y, all.y) && torch::equal(f.gx, aten.gx)));
        const auto b = made({.backward_input = by.backward_input});
        CHECK((torch::equal(b.gx, all.gx) && torch::equal(b.y, aten.y)));
        const auto w = made({.backward_weights = by.backward_weights});
        CHECK((torch::equal(w.gradients[0], all.gradients[0]) && torch::equal(w.y, aten.y)));
        if (by.forward == net::Kernel::strided) CHECK(!torch::equal(all.y, aten.y));
    }
}

TEST_CASE("which layers have a kernel is what the kernels themselves support") {
    namespace kernels = civitas::kernels;
    const Case thick{{"thick", net::Convolution{sizes(64, 64, 4, 2, 1)}}, {1, 64, 4, 4}};
    const Case thin{{"thin", net::Convolution{sizes(4, 6, 4, 2, 1)}}, {1, 4, 4, 4}};
    const Case five{{"five", net::Convolution{sizes(5, 6, 4, 2, 1)}}, {1, 5, 4, 4}};
    const Case full_size{{"full_size", net::Convolution{sizes(32, 3, 3, 1, 1)}}, {1, 32, 4, 4}};
    const Case odd{{"odd", net::Convolution{sizes(4, 5, 4, 2, 1)}}, {1, 4, 4, 4}};
    for (const auto type : {at::kDouble, at::kFloat, at::kBFloat16}) {
        CHECK((by_ours(thick, type)[0].kernels.forward == net::Kernel::strided) ==
              strided::supports(type));
        CHECK((by_ours(full_size, type)[0].kernels.backward_input == net::Kernel::picture) ==
              kernels::picture::supports({3, 32, 3, 3}, type));
        for (const auto* c : {&thin, &five, &odd}) {
            const auto weight = net::parameters_of(c->layer)[0].shape;
            CHECK((by_ours(*c, type)[0].kernels.backward_weights == net::Kernel::thin) ==
                  kernels::thin::supports(weight, type));
        }
    }
}
