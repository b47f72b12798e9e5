#include "support/tensor.hpp"

#include "civitas/optim/model_state.hpp"
#include "civitas/planner/workload.hpp"
#include "planner/small_gan.hpp"

using namespace civitas;
using namespace civitas::test;

namespace {

/// F, then B, of every part of a net against the formulas.
void check_bytes(const net::NetDescription& net, const std::string& precision) {
    const auto p = net::parse_precision(precision);
    optim::ModelOptions options;
    options.name = net.name;
    options.precision = p;
    const optim::ModelState whole(net, options);
    const auto count = static_cast<std::int64_t>(net.layers.size());
    at::Tensor x = torch::randn({2, net.input.channels, net.input.height, net.input.width},
                                nn::compute_type(p));
    for (std::int64_t begin = 0; begin < count; begin += 3) {
        const auto part = net::part_of(net, {begin, std::min<std::int64_t>(3, count - begin)});
        auto layers = whole.layers_of(first_stage);
        const nn::Stage stage(std::vector<std::unique_ptr<nn::Layer>>(
            std::make_move_iterator(layers.begin() + begin),
            std::make_move_iterator(layers.begin() + begin + std::ssize(part.layers))));
        nn::Stage::Context kept;
        x = stage.forward(x.clone(), kept);
        CHECK(kept.bytes() == planner::saved_bytes(part, 2, planner::value_bytes(p)));
        (void)stage.backward_input(torch::randn_like(x), kept, true, true);
        CHECK(kept.bytes() == planner::bytes_from_B_to_W(part, 2, planner::value_bytes(p)));
    }
}

}  // namespace

TEST_CASE("bytes of activations by formula are those of real layers") {
    const torch::NoGradGuard nothing_is_taped;
    for (const char* precision : {"fp32", "bf16", "fp64"}) {
        const auto nets = small_gan(precision).problem.nets;
        CAPTURE(precision);
        check_bytes(nets[schedule::gan::generator], precision);
        check_bytes(nets[schedule::gan::discriminator], precision);
    }
}

TEST_CASE("bytes of weights, sums, moments and mean by formula are those of a real net") {
    const schedule::LeafCounts leaves{.per_pass = 5, .passes = 2};
    for (const char* precision : {"fp32", "bf16", "fp64"})
        for (const double ema : {0.0, 0.9}) {
            const auto net = small_gan(precision).problem.nets[schedule::gan::discriminator];
            optim::ModelOptions options;
            options.name = "d";
            options.updater.ema = ema;
            options.updater.leaves = leaves;
            options.precision = net::parse_precision(precision);
            const auto planned = planner::net_memory(net, leaves, {.mean = ema > 0},
                                                     planner::value_bytes(options.precision), {});
            CHECK(planned.sum() == optim::ModelState(net, options).bytes());
        }
}
