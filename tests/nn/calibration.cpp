#include "civitas/nn/calibration.hpp"

#include "oracle.hpp"

#include "civitas/base/error.hpp"

using namespace civitas;
using namespace civitas::nn;
using namespace civitas::nn::test;

namespace {

/// Two batch norms, the second behind an activation.
net::NetDescription net_of_two() {
    return {"two",
            {3, 8, 8},
            {{"conv0", net::Convolution{{3, 6, 4, 2, 1}}},
             {"norm0", net::BatchNorm{6}},
             {"relu0", net::LeakyRelu{0}},
             {"conv1", net::Convolution{{6, 5, 4, 2, 1}}},
             {"norm1", net::BatchNorm{5}}}};
}

torch::Tensor images(std::uint64_t seed) { return random_like({4, 3, 8, 8}, at::kDouble, seed); }

}  // namespace

TEST_CASE("running statistics are taken of micro-batches as PyTorch takes them") {
    const auto net = net_of_two();
    const auto numbers = random_numbers(net.layers, at::kDouble);
    auto twin = twin_net(net.layers, numbers);
    // torch.optim.swa_utils.update_bn: momentum None, which is the mean of all batches.
    std::vector<torch::nn::BatchNorm2dImpl*> norms;
    for (const auto& module : twin->children())
        if (auto* norm = module->as<torch::nn::BatchNorm2d>()) {
            norm->reset_running_stats();
            norm->options.momentum(std::nullopt);
            norms.push_back(norm);
        }
    REQUIRE(norms.size() == 2);
    twin->train();

    const Stage stage = make_stage(net.layers, numbers);
    Calibration calibration;
    for (const std::uint64_t seed : {3, 4, 5}) {
        const auto y = calibration.forward(stage, images(seed));
        CHECK(apart(y, twin->forward(images(seed))) < 1e-12);
    }
    std::vector<at::Tensor> running;
    for (const std::int64_t channels : {6, 6, 5, 5})
        running.push_back(at::zeros({channels}, at::kDouble));
    calibration.store(running);
    for (std::size_t i = 0; i < norms.size(); ++i) {
        CHECK(apart(running[2 * i], norms[i]->running_mean) < 1e-12);
        CHECK(apart(running[2 * i + 1], norms[i]->running_var) < 1e-12);
    }
}

TEST_CASE("no statistics are stored before a micro-batch, or in the place of others") {
    Calibration calibration;
    CHECK_THROWS_AS(calibration.store({}), Error);
    const auto net = net_of_two();
    (void)calibration.forward(make_stage(net.layers, random_numbers(net.layers, at::kDouble)),
                              images(1));
    CHECK_THROWS_AS(calibration.store({}), Error);
}
