#include "oracle.hpp"

#include "civitas/comm/communicator.hpp"
#include "civitas/planner/layer_costs.hpp"
#include "support/agree.hpp"

using namespace civitas;
using namespace civitas::nn;
using namespace civitas::nn::test;

namespace {

const std::vector<net::LayerDescription> layers{{"norm", net::BatchNorm{7}}};

/// Rank r has r + 2 samples of 5 x 3, far from zero so that poor sums would show.
at::Tensor rows_of(const at::Tensor& all, int rank) {
    std::int64_t begin = 0;
    for (int r = 0; r < rank; ++r) begin += r + 2;
    return all.slice(0, begin, begin + rank + 2);
}

/// Sum over ranks, in double.
at::Tensor summed(const comm::Communicator& ranks, const at::Tensor& part) {
    const auto mine = part.to(at::kDouble).contiguous();
    const auto length = mine.numel();
    const auto all = ranks.all_gather(
        std::span<const double>(mine.const_data_ptr<double>(), static_cast<std::size_t>(length)));
    return torch::tensor(all, at::kDouble).reshape({ranks.size(), length}).sum(0);
}

void check_group(const comm::Communicator& world, at::ScalarType type, double tolerance) {
    std::int64_t count = 0;
    for (int r = 0; r < world.size(); ++r) count += r + 2;
    const auto all_x = random_like({count, 7, 5, 3}, type, 3).mul(0.5).add(2);
    const auto all_gy = random_like({count, 7, 5, 3}, type, 4).add(0.25);
    const auto numbers = random_numbers(layers, type);
    const auto truth = run_twin(twin_net(layers, numbers), all_x, all_gy);
    torch::nn::BatchNorm2d running(torch::nn::BatchNorm2dOptions(7).momentum(1.0));
    running->to(at::kDouble);
    (void)running->forward(all_x.to(at::kDouble));

    const int me = index(world.rank());
    const comm::MpiCollectives group(world);
    const auto stage = make_stage(layers, numbers, {.normalise_with = &group});
    const auto ours =
        run(stage, numbers, channels_last(rows_of(all_x, me)), channels_last(rows_of(all_gy, me)));
    INFO("in " << c10::toString(type));
    REQUIRE_ALL(world, ours.y.scalar_type() == type);
    REQUIRE_ALL(world, apart(ours.y, rows_of(truth.y, me)) < tolerance);
    REQUIRE_ALL(world, apart(ours.gx, rows_of(truth.gx, me)) < tolerance);
    for (std::size_t i = 0; i < 2; ++i) {
        const auto whole = summed(world, ours.gradients[i]);
        REQUIRE_ALL(world, apart(whole, truth.gradients[i]) < tolerance);
    }
    REQUIRE_ALL(world, apart(ours.statistics[0].mean_C, running->running_mean) < tolerance);
    REQUIRE_ALL(world, apart(ours.statistics[0].variance_C, running->running_var) < tolerance);
}

}  // namespace

TEST_CASE("ranks that normalise together equal one batch norm over all their samples") {
    const auto world = comm::Communicator::world();
    check_group(world, at::kDouble, 1e-12);
    check_group(world, at::kFloat, 1e-5);
    check_group(world, at::kBFloat16, 0.01);
}

TEST_CASE("one value per channel and rank is enough when the group has more") {
    const auto world = comm::Communicator::world();
    const auto numbers = random_numbers(layers, at::kFloat);
    const comm::MpiCollectives group(world);
    const auto stage = make_stage(layers, numbers, {.normalise_with = &group});
    Stage::Context kept;
    const auto x = torch::randn({1, 7, 1, 1});
    if (world.size() == 1)
        CHECK_THROWS_WITH(stage.forward(x, kept), Catch::Contains("norm has 1 value per channel"));
    else
        CHECK(torch::isfinite(stage.forward(x, kept)).all().item<bool>());
}

TEST_CASE("what ranks that normalise together keep is by formula so much") {
    const auto world = comm::Communicator::world();
    const comm::MpiCollectives group(world);
    for (const auto type : {at::kFloat, at::kBFloat16}) {
        const auto stage =
            make_stage(layers, random_numbers(layers, type), {.normalise_with = &group});
        const net::NetDescription net{"normalised", {7, 5, 3}, layers};
        const planner::ValueBytes values{.compute = type == at::kBFloat16 ? 2 : 4, .master = 4};
        const auto x = random_like({2, 7, 5, 3}, type, 3);
        Stage::Context kept;
        (void)stage.forward(x, kept);
        REQUIRE_ALL(world, kept.bytes() == planner::saved_bytes(net, 2, values));
        (void)stage.backward_input(x, kept, true, true);
        REQUIRE_ALL(world, kept.bytes() == planner::bytes_from_B_to_W(net, 2, values));
    }
}
