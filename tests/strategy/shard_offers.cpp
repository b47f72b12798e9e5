#include "civitas/strategy/shard_offers.hpp"

#include "civitas/schedule/sharded_weights.hpp"
#include "civitas/strategy/candidates.hpp"
#include "strategy/small.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

using namespace civitas;
using namespace civitas::planner;
using namespace civitas::strategy;

namespace {

Configuration small() {
    Configuration c = test::small();
    c.layout_options.weight_copies = WeightCopies::rank;
    return c;
}

CostModel model_of(const Configuration& c, int ranks, double memory = 1e12) {
    MachineModel machine;
    machine.memory = memory;
    return {workload_of(c.problem, c.hyperparameters), machine, ranks};
}

std::vector<ShardOffer> offers_of(const Configuration& c, MeshShape mesh) {
    const CostModel model = model_of(c, mesh.size());
    return shard_offers(model, c.layout_options, make_plan(model, c.layout_options, mesh));
}

const Candidate& best_of(const Ranking& ranking) { return ranking.candidates.front(); }

}  // namespace

TEST_CASE("a level is offered as it is planned when it is asked for") {
    Configuration c = small();
    const MeshShape mesh{{Axis::data, 2}};
    for (const ShardLevel asked : every_shard_level) {
        c.layout_options.shard = asked;
        const auto offers = offers_of(c, mesh);
        REQUIRE(offers.size() == every_shard_level.size());
        const ShardOffer& own = offers.at(static_cast<std::size_t>(asked));
        const StepPlan plan = make_plan(model_of(c, 2), c.layout_options, mesh);
        CHECK(own.level == asked);
        CHECK(own.memory.sum() == plan.peak_bytes());
        CHECK(own.memory.nets.moments == plan.memory[0].nets.moments);
        CHECK(own.sent_bytes == plan.reduced_bytes[0]);
        CHECK(own.seconds == plan.seconds_of_step());
    }
}

TEST_CASE("each level divides what the one before it does, and more") {
    Configuration c = small();
    c.layout_options.shard = ShardLevel::parameters;
    const auto offers = offers_of(c, {{Axis::data, 4}, {Axis::pipe, 2}});
    REQUIRE(offers.size() == 4);
    for (const ShardOffer& offer : offers)
        CHECK(offer.memory.nets.moments <
              offers[0].memory.nets.moments + (offer.level == ShardLevel::none ? 1 : 0));
    CHECK(offers[2].memory.nets.gradients < offers[1].memory.nets.gradients);
    CHECK(offers[3].sent_bytes > offers[2].sent_bytes);
    CHECK(offers[2].sent_bytes > offers[1].sent_bytes);
}

TEST_CASE(
    "a rank keeps its part of the moments, and of the weights no more than two layers beside") {
    constexpr double evenness = 1.05;
    for (const char* net : {"dcgan-64", "dcgan-256", "dcgan-512"})
        for (const int ranks : {2, 4, 8}) {
            CAPTURE(net, ranks);
            Configuration c = small();
            c.problem.nets = Nets({.net = net});
            std::vector<std::int64_t> layers;  // bytes
            const CostModel alone = model_of(c, 1);
            for (const WorkloadNet& each : alone.workload().nets)
                for (std::int64_t i = 0; i < std::ssize(each.description.layers); ++i)
                    layers.push_back(4 *
                                     net::parameter_count(net::part_of(each.description, {i, 1})));
            std::sort(layers.rbegin(), layers.rend());
            const auto offers = offers_of(c, {{Axis::data, ranks}});
            REQUIRE(offers.size() == every_shard_level.size());
            const auto of = [&](ShardLevel level) {
                return offers.at(static_cast<std::size_t>(level)).memory.nets;
            };
            const NetMemory whole = of(ShardLevel::none);
            const double part = evenness / ranks;
            for (const ShardLevel level : {ShardLevel::optimizer, ShardLevel::gradients}) {
                CHECK(static_cast<double>(of(level).moments) <=
                      part * static_cast<double>(whole.moments));
                CHECK(static_cast<double>(of(level).mean) <=
                      part * static_cast<double>(whole.mean));
            }
            CHECK(static_cast<double>(of(ShardLevel::parameters).parameters) <=
                  part * static_cast<double>(whole.parameters) +
                      static_cast<double>(layers[0] + layers[1]));
        }
}

TEST_CASE("ranks of a node update their parts of the weights that it has once, at every level") {
    Configuration c = small();
    const auto apart = offers_of(c, {{Axis::data, 4}});
    c.layout_options.weight_copies = WeightCopies::node;
    const auto together = offers_of(c, {{Axis::data, 4}});
    const auto of = [](const std::vector<ShardOffer>& offers, ShardLevel level) {
        return offers.at(static_cast<std::size_t>(level));
    };
    const auto nets = [&](ShardLevel level) { return of(together, level).memory.nets; };
    CHECK(nets(ShardLevel::none).moments == nets(ShardLevel::optimizer).moments);
    CHECK(nets(ShardLevel::none).moments == of(apart, ShardLevel::optimizer).memory.nets.moments);
    for (const ShardLevel level : every_shard_level) {
        CHECK(of(together, level).sent_bytes == 0);
        if (shards_weights(level)) continue;
        CHECK(of(together, level).seconds < of(apart, level).seconds);
        CHECK(4 * nets(level).parameters < of(apart, level).memory.nets.parameters * 21 / 20);
    }
    c.layout_options.shard = ShardLevel::parameters;
    const StepPlan asked = make_plan(model_of(c, 4), c.layout_options, {{Axis::data, 4}});
    const auto gathered =
        schedule::memory_peak(asked.layout.schedule, PipeCoordinate{0}, asked.costs).gathered_bytes;
    const auto saved = of(apart, ShardLevel::parameters).memory.nets.parameters -
                       nets(ShardLevel::parameters).parameters;
    CHECK(saved == gathered - share_of_node(gathered, 4));
    c.layout_options.shard = ShardLevel::none;

    MachineModel pairs;
    pairs.nodes = 2;
    for (const char* precision : {"fp32", "bf16"}) {
        c.problem.precision = net::parse_precision(precision);
        const CostModel model(workload_of(c.problem, c.hyperparameters), pairs, 4);
        const StepPlan plan = make_plan(model, c.layout_options, {{Axis::data, 4}});
        CHECK(plan.layout.ranks_of_node == 2);
        CHECK(plan.memory[0].nets.moments == nets(ShardLevel::none).moments);
        const std::int64_t number = model.value_bytes().compute < 4 ? 6 : 4;  // with its copy
        std::int64_t weights = 0, sent = 0;
        // Half of each sum's slices leave the node; of new weights a rank sends its quarter once.
        for (const schedule::NetId net : model.workload().graph.net_ids()) {
            const auto count = net::parameter_count(model.workload()[net].description);
            const auto passes = model.workload().leaves(plan.layout, net).passes;
            weights += number * count;
            sent += passes * 4 * count / 2 + number * count / 4;
        }
        CHECK(2 * plan.memory[0].nets.parameters < weights * 21 / 20);
        CHECK(plan.reduced_bytes[0] == sent);
    }
}

TEST_CASE("a disk is offered as it is planned when it is asked for, at every level") {
    Configuration c = small();
    for (const MeshShape mesh : {MeshShape{}, MeshShape{{Axis::data, 2}}}) {
        const CostModel model = model_of(c, mesh.size());
        c.layout_options.offload = Offload::none;
        const StepPlan plan = make_plan(model, c.layout_options, mesh);
        const auto offers = offload_offers(model, c.layout_options, plan);
        REQUIRE(offers.size() == (mesh.size() == 1 ? 1 : every_shard_level.size()));
        c.layout_options.offload = Offload::disk;
        for (const ShardOffer& offer : offers) {
            c.layout_options.shard = offer.level;
            const StepPlan asked = make_plan(model, c.layout_options, mesh);
            CHECK(offer.memory.sum() == asked.peak_bytes());
            CHECK(offer.memory.nets.offloaded == asked.memory[0].nets.offloaded);
            CHECK(offer.seconds == asked.seconds_of_step());
            CHECK(offload_offers(model, c.layout_options, asked).empty());
        }
        c.layout_options.shard = ShardLevel::none;
        const NetMemory &there = plan.memory[0].nets, &left = offers[0].memory.nets;
        CHECK(left.offloaded == there.moments + there.mean);
        CHECK(left.sum() + left.offloaded == there.sum());
        const double disk_s =
            2 * static_cast<double>(left.offloaded) / (MachineModel().disk_bandwidth / mesh.size());
        CHECK(offers[0].seconds > plan.seconds_of_step() + 0.95 * disk_s);
        CHECK(offers[0].seconds < plan.seconds_of_step() + 1.05 * disk_s);
    }
    MachineModel machine;
    machine.gpus = 1;
    c.layout_options.offload = Offload::none;
    const CostModel gpu(workload_of(c.problem, c.hyperparameters), machine, 1);
    const StepPlan plan = make_plan(gpu, c.layout_options, {});
    const auto offers = offload_offers(gpu, c.layout_options, plan);
    REQUIRE(offers.size() == 1);
    const NetMemory &there = plan.memory[0].nets, &left = offers[0].memory.nets;
    CHECK(offers[0].memory.offload == Offload::host);
    CHECK(left.offloaded == there.moments + there.mean);
    CHECK(left.sum() + left.offloaded == there.sum());
    const double travel_s = 2 * static_cast<double>(left.offloaded) / machine.host_bandwidth;
    CHECK(offers[0].seconds == Approx(plan.seconds_of_step() + travel_s).epsilon(0.05));
}

TEST_CASE("the host offloads nothing of ranks on CPUs") {
    Configuration c = small();
    const CostModel model = model_of(c, 1);
    const auto planned = [&] { return make_plan(model, c.layout_options, {}).memory[0]; };
    c.layout_options.offload = Offload::host;
    CHECK(planned().nets.offloaded == 0);
    CHECK(planned().window == 0);
    c.layout_options.device = DeviceKind::cuda;
    CHECK(planned().nets.offloaded > 0);
    CHECK(planned().window > 0);
    CHECK(in_words(planned()).find("; in host memory ") != std::string::npos);
}

TEST_CASE("only what goes with the other options is offered") {
    Configuration c = small();
    CHECK(offers_of(c, {{Axis::pipe, 2}}).empty());
    c.problem.sync_batch_norm = true;
    CHECK(offers_of(c, {{Axis::data, 2}}).size() == 2);
    c = small();
    c.layout_options.reduction = Reduction::fast;
    CHECK(offers_of(c, {{Axis::data, 2}}).size() == 2);
    c = small();
    c.layout_options.shard = ShardLevel::parameters;
    const MeshShape mesh{{Axis::data, 2}};
    c.layout_options.schedule = make_plan(model_of(c, 2), c.layout_options, mesh).layout.schedule;
    REQUIRE(schedule::has_gathers(*c.layout_options.table()));
    CHECK(shard_levels(model_of(c, 2).workload(), c.layout_options, mesh).size() == 1);
}

TEST_CASE("a ranking takes the level that is fastest, or the one that was asked for") {
    const Configuration c = small();
    const CostModel model = model_of(c, 4);
    const Ranking all = rank_meshes(model, c.layout_options, ShardSearch::all);
    for (const Candidate& candidate : all.candidates) {
        const MeshShape mesh = candidate.plan.layout.mesh;
        CHECK(candidate.options.shard == candidate.plan.layout.shard);
        if (mesh[Axis::data] == 1) CHECK(candidate.options.shard == ShardLevel::none);
        for (const ShardOffer& offer : shard_offers(model, candidate.options, candidate.plan))
            CHECK(candidate.plan.seconds_of_step() <= 1.002 * offer.seconds);
    }
    CHECK(best_of(all).options.shard == ShardLevel::optimizer);
    CHECK(command_options(best_of(all).options, best_of(all).plan.layout.mesh) ==
          " --mesh data=4,pipe=1,tensor=1 --shard optimizer --weight-copies rank");
    for (const Candidate& asked :
         rank_meshes(model, c.layout_options, ShardSearch::as_asked).candidates)
        CHECK(asked.options.shard == ShardLevel::none);
}

TEST_CASE("a level that makes replicas fit is taken, and said") {
    const Configuration c = small();
    const MeshShape replicas{{Axis::data, 4}};
    const auto offers = offers_of(c, replicas);
    const auto memory = 4.0 * static_cast<double>(offers[2].memory.sum());
    const CostModel model = model_of(c, 4, memory);
    const Ranking ranking = rank_meshes(model, c.layout_options, ShardSearch::all);
    bool fits = false;
    for (const Candidate& candidate : ranking.candidates)
        if (candidate.plan.layout.mesh == replicas) {
            fits = true;
            CHECK(candidate.options.shard >= ShardLevel::gradients);
            CHECK(candidate.bytes_unsaved == offers[0].memory.sum());
        }
    CHECK(fits);
}

TEST_CASE("levels that would sum in another order than one rank are no part of a ranking") {
    CHECK(sums_as_one_rank(12, 3, ShardLevel::optimizer));
    CHECK_FALSE(sums_as_one_rank(12, 3, ShardLevel::gradients));
    CHECK(sums_as_one_rank(12, 4, ShardLevel::gradients));
    CHECK_FALSE(sums_as_one_rank(12, 4, ShardLevel::none));
    CHECK(sums_as_one_rank(12, 1, ShardLevel::parameters));
    Configuration c = small();
    c.problem.batch = 48;
    const auto offers = offers_of(c, {{Axis::data, 3}});
    REQUIRE(offers.size() == 4);
    const auto memory = 3.0 * static_cast<double>(offers[3].memory.sum());
    const Ranking ranking = rank_meshes(model_of(c, 3, memory), c.layout_options, ShardSearch::all);
    for (const Candidate& candidate : ranking.candidates)
        CHECK_FALSE(shards_gradients(candidate.options.shard));
}
