#include "bits.hpp"
#include "civitas/tasks/diagnosis.hpp"
#include "support/agree.hpp"

#include <limits>

// Replicas in a rank against ranks, and what goes wrong in one of them.

using namespace civitas;
using namespace civitas::tasks;
using namespace civitas::tasks::runs;

namespace {

constexpr std::int64_t eight = 8;

planner::Configuration replicated(int replicas, const std::string& mesh = "data=1") {
    planner::Configuration c = small_run();
    c.problem.batch = micro * eight;
    c.layout_options.mesh = MeshRequest(mesh);
    c.layout_options.replicas = replicas;
    c.layout_options.threads = replicas;
    return c;
}

/// Real tiles in the order that replicas take them in.
class Tiles {
public:
    explicit Tiles(const planner::Configuration& c, const MicroBatchShare& own)
        : c_(c), own_(own), parts_(own.count(), c.layout_options.replicas) {}

    at::Tensor next() {
        const std::int64_t i = taken_++;
        const MicroBatch micro_batch = own_.global(parts_.in_turn(i % own_.count()));
        if (index(micro_batch) == unreadable) throw Error("tile 7 cannot be read");
        at::Tensor tiles =
            real_tiles(c_, i / own_.count() * c_.problem.micro_batches() + index(micro_batch));
        if (index(micro_batch) == not_a_number)
            tiles.fill_(std::numeric_limits<double>::quiet_NaN());
        return tiles;
    }

    std::int64_t unreadable = -1, not_a_number = -1;

private:
    planner::Configuration c_;
    MicroBatchShare own_;
    ReplicaParts parts_;
    std::int64_t taken_ = 0;
};

struct Replicated {
    Replicated(const comm::Communicator& ranks, const planner::Configuration& c,
               const Tamper& tamper = {}, const std::vector<at::Device>& devices = {})
        : ours(ranks, c, nullptr, devices), tiles(c, ours.own) {
        (void)ours.make_steps(
            c, [this] { return tiles.next(); }, tamper);
    }
    void run(int step = 0) {
        ours.steps->run(StepIndex{step});
        ours.values.push_back(ours.steps->task().finish().values);
    }
    [[nodiscard]] at::Tensor weights() const {
        return at::cat({ours.models[schedule::gan::generator].weights().flat(),
                        ours.models[schedule::gan::discriminator].weights().flat()});
    }
    Ours ours;
    Tiles tiles;
};

Bits bits_after(const comm::Communicator& ranks, const planner::Configuration& c,
                const std::vector<at::Device>& devices = {}) {
    Replicated run(ranks, c, {}, devices);
    for (int step = 0; step < steps; ++step) run.run(step);
    return bits_of(ranks, run.ours);
}

/// Fails in its first F.
class FailingLayer final : public nn::Layer {
public:
    [[nodiscard]] nn::Forward forward(const at::Tensor& /*x*/) const override {
        throw Error("no memory");
    }
    [[nodiscard]] at::Tensor evaluate(const at::Tensor& x) const override { return x; }
    [[nodiscard]] at::Tensor backward_input(const at::Tensor& gy,
                                            nn::SavedTensors& /*saved*/) const override {
        return gy;
    }
    [[nodiscard]] nn::NeededByW needed_by_weights() const override { return nn::NeededByW::saved; }
    void backward_weights(const at::Tensor& /*gy*/, nn::SavedTensors& /*saved*/,
                          std::span<const at::Tensor> /*leaf*/) const override {}
};

nn::Stage failing_stage(std::size_t layers) {
    std::vector<std::unique_ptr<nn::Layer>> all;
    while (all.size() < layers) all.push_back(std::make_unique<FailingLayer>());
    return nn::Stage(std::move(all));
}

}  // namespace

TEST_CASE("replicas in a rank end with the bits of one, beside other ranks or without") {
    const torch::NoGradGuard quiet;
    const auto world = comm::Communicator::world();
    const bool several = world.size() > 1;
    for (const auto& [precision, numbers] :
         {std::pair("fp32", several ? std::vector{4} : std::vector{2, 4, 8}),
          std::pair("bf16", std::vector{2})}) {
        planner::Configuration c = replicated(1);
        c.problem.precision = net::parse_precision(precision);
        const Bits expected = bits_after(world.split(index(world.rank()), 0), c);
        for (const int replicas : numbers)
            for (const ShardLevel shard : {ShardLevel::none, ShardLevel::optimizer})
                for (const WeightCopies copies : {WeightCopies::rank, WeightCopies::node}) {
                    const bool divides = shard != ShardLevel::none || copies == WeightCopies::node;
                    if (divides && !several) continue;
                    c = replicated(replicas, text("data=", world.size()));
                    c.problem.precision = net::parse_precision(precision);
                    c.layout_options.shard = shard;
                    c.layout_options.weight_copies = copies;
                    INFO(replicas << ' ' << precision << ' ' << to_string(shard) << ' '
                                  << (copies == WeightCopies::node ? "together" : "apart"));
                    CHECK(difference(bits_after(world, c), expected) == "");
                }
    }
}

// The second place is a CPU by another name: what is there has been copied.
TEST_CASE("replicas on several devices, each with a copy of the weights, make the same bits") {
    const torch::NoGradGuard quiet;
    const auto world = comm::Communicator::world();
    const at::Device here(at::kCPU), there(at::kCPU, 0);
    REQUIRE(here != there);
    for (const std::string precision : {"fp32", "bf16"}) {
        planner::Configuration c = replicated(4, text("data=", world.size()));
        c.problem.precision = net::parse_precision(precision);
        INFO(precision);
        CHECK(difference(bits_after(world, c, {here, there, here, there}), bits_after(world, c)) ==
              "");
        Replicated run(world, c, {}, {here, here, there, there});
        run.tiles.not_a_number = eight - 1;
        CHECK_THROWS_WITH(run.run(), Catch::Contains("the loss of pass real is nan"));
    }
}

TEST_CASE("what one replica cannot read or compute ends the step on all ranks, before an update") {
    const torch::NoGradGuard quiet;
    const auto world = comm::Communicator::world();
    const planner::Configuration c = replicated(2, text("data=", world.size()));
    const std::int64_t last = eight - 1;  // of the last replica of the last rank

    Replicated unreadable(world, c);
    const at::Tensor before = unreadable.weights().clone();
    unreadable.tiles.unreadable = last;
    CHECK_THROWS_WITH(unreadable.run(), Catch::Contains("tile 7 cannot be read"));
    CHECK(unreadable.ours.steps->task().state_is_whole());
    CHECK(unreadable.weights().equal(before));

    std::optional<nn::Stage> broken;
    Replicated failing(world, c, [&](Ours&, ModelParts& parts) {
        if (index(world.rank()) != world.size() - 1) return;
        auto& stage = parts.replicas.at(1).at(1).stages.front();
        stage.layers = &broken.emplace(failing_stage(stage.layers->size()));
    });
    try {
        failing.run();
        FAIL("nothing failed");
    } catch (const AgreedError& error) {
        CHECK_THAT(error.what(), Catch::Contains("no memory"));
        failing.ours.steps->drain_after(error);
    }
    CHECK(failing.ours.steps->task().state_is_whole());
    CHECK(failing.weights().equal(before));

    Replicated bad(world, c);
    bad.tiles.not_a_number = last;
    CHECK_THROWS_WITH(bad.run(), Catch::Contains("the loss of pass real is nan") &&
                                     Catch::Contains(text("micro-batch ", last, ";")));
    CHECK(bad.weights().equal(before));
}

TEST_CASE("a bad leaf of a replica is found under its number among those of the rank") {
    const torch::NoGradGuard quiet;
    const auto world = comm::Communicator::world();
    Replicated run(world, replicated(2, text("data=", world.size())));
    auto& updater = run.ours.models[schedule::gan::discriminator].updater();
    updater.watch();
    run.tiles.not_a_number = index(run.ours.own.global(LocalMicroBatch{run.ours.own.count() - 1}));
    run.ours.steps->run_leaves(StepIndex{0});
    const auto bad = updater.first_bad_leaf();
    REQUIRE_ALL(world, bad.has_value());
    CHECK(bad->pass == 0);
    CHECK(index(bad->micro) == run.ours.own.count() - 1);
}
