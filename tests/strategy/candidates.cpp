#include "civitas/strategy/candidates.hpp"

#include "strategy/small.hpp"

#include <catch2/catch.hpp>

using namespace civitas;
using namespace civitas::planner;
using namespace civitas::strategy;
using civitas::test::small;

namespace {

CostModel model_of(const Configuration& c, int ranks, const MachineModel& machine) {
    return {workload_of(c.problem, c.hyperparameters), machine, ranks};
}

Ranking ranking_of(const Configuration& c, int ranks, const MachineModel& machine) {
    return rank_meshes(model_of(c, ranks, machine), c.layout_options, ShardSearch::as_asked);
}

}  // namespace

TEST_CASE("every mesh of the ranks is offered or refused, the fastest first") {
    const Ranking ranking = ranking_of(small(), 12, {});
    // pipe 1, 2, 3, 4, 6, 12; with tensor=2 pipe 1, 2, 3, 6; with tensor=4 pipe 1, 3
    CHECK(ranking.candidates.size() + ranking.rejected.size() == 6 + 4 + 2);
    for (std::size_t i = 2; i < ranking.candidates.size();
         ++i)  // a tie may stand before what is faster
        CHECK(ranking.candidates[i - 1].plan.seconds_of_step() <=
              ranking.candidates[i].plan.seconds_of_step());
    for (const Candidate& candidate : ranking.candidates) {
        CHECK(candidate.plan.layout.mesh.size() == 12);
        CHECK(8 % candidate.plan.layout.mesh[Axis::data] == 0);
        CHECK_FALSE((candidate.options.redraw || candidate.options.recompute));
    }
    bool named = false;
    for (const Rejected& r : ranking.rejected)
        named |= r.why ==
                 "a batch of 32 tiles, 8 micro-batches of 4, cannot be shared by 12 ranks of the "
                 "data axis";
    CHECK(named);
}

TEST_CASE("a tie goes to the mesh that keeps the bits") {
    const auto candidate = [](int tensor, double seconds) {
        Candidate made;
        made.plan.layout.mesh = {{Axis::data, 2 / tensor}, {Axis::tensor, tensor}};
        made.plan.step.makespan_s = seconds;
        return made;
    };
    const auto first_of = [](std::vector<Candidate> candidates) {
        prefer_same_bits(candidates);
        return candidates.front().plan.layout.mesh[Axis::tensor];
    };
    CHECK(first_of({candidate(2, 1.00), candidate(1, 1.04)}) == 1);
    CHECK(first_of({candidate(2, 1.00), candidate(1, 1.06)}) == 2);
    CHECK(first_of({candidate(2, 1.00)}) == 2);
    CHECK(first_of({candidate(1, 1.00), candidate(2, 1.01)}) == 1);
}

TEST_CASE("an offer is the best of all its schedules") {
    const Configuration c = small();
    const Ranking ranking = ranking_of(c, 2, {});
    for (const Candidate& candidate : ranking.candidates) {
        if (candidate.plan.layout.mesh[Axis::pipe] == 1) continue;
        for (const char* schedule : {"naive", "gpipe", "1f1b", "zero-bubble", "gan"}) {
            Configuration other = c;
            other.layout_options.schedule = schedule_named(schedule);
            const StepPlan plan =
                make_plan(model_of(other, 2, {}), other.layout_options, candidate.plan.layout.mesh);
            CHECK(plan.seconds_of_step() * 1.001 >= candidate.plan.seconds_of_step());
        }
    }
}

TEST_CASE("memory decides: first it costs time, then it is refused") {
    const Configuration c = small();
    MachineModel machine;
    const auto bytes_of = [&](const Ranking& r) {
        return static_cast<double>(r.candidates.front().plan.peak_bytes());
    };
    const double all = bytes_of(ranking_of(c, 1, machine));
    machine.memory = all - 1;
    const Ranking saving = ranking_of(c, 1, machine);
    REQUIRE(saving.candidates.size() == 1);
    CHECK((saving.candidates[0].options.redraw || saving.candidates[0].options.recompute));
    CHECK(bytes_of(saving) < all);
    CHECK(static_cast<double>(saving.candidates[0].bytes_unsaved) == all);
    machine.memory = 1e6;
    const Ranking none = ranking_of(c, 2, machine);
    CHECK(none.candidates.empty());
    REQUIRE(none.rejected.size() == 3);
    CHECK(none.rejected[0].why.find("it has 0.5 MB") != std::string::npos);
}

TEST_CASE("with fast links nothing idles less than replicas") {
    Configuration c = small();
    c.problem.nets = Nets({.net = "dcgan-256"});
    c.problem.micro_batch = 1;
    MachineModel machine;
    machine.link_bandwidth = 1e11;
    CHECK(ranking_of(c, 4, machine).candidates.front().plan.layout.mesh[Axis::pipe] == 1);
}

TEST_CASE("where the nets cannot be divided the tensor axis is refused, once") {
    Configuration c = small();
    c.problem.nets = Nets({.net = "dcgan-64",
                           .generator_widths = {8, 6, 6, 6},
                           .discriminator_widths = {6, 6, 6, 8}});
    const Ranking ranking = ranking_of(c, 8, {});
    REQUIRE_FALSE(ranking.rejected.empty());
    const Rejected& last = ranking.rejected.back();
    CHECK(last.mesh[Axis::tensor] == 8);
    CHECK(last.why == "tensor=8 is more than the 6 channels of the narrowest layer of generator");
    CHECK_FALSE(last.of_memory);
}

TEST_CASE("memory that replicas lack is what another mesh is for") {
    const Configuration c = small();
    MachineModel machine;
    machine.cores = 4;
    const Ranking all = ranking_of(c, 4, machine);
    std::int64_t least = all.candidates.front().plan.peak_bytes();
    for (const Candidate& candidate : all.candidates)
        least = std::min(least, candidate.plan.peak_bytes());
    machine.memory = 4.0 * static_cast<double>(least);
    const Ranking ranking = ranking_of(c, 4, machine);
    REQUIRE_FALSE(ranking.candidates.empty());
    CHECK(ranking.candidates.front().plan.layout.mesh[Axis::data] < 4);
    REQUIRE_FALSE(ranking.rejected.empty());
    CHECK(ranking.rejected.front().of_memory);
}

TEST_CASE("a slow network keeps what is sent most within nodes") {
    Configuration c = small();
    c.problem.nets = Nets({.net = "dcgan-256"});
    c.problem.micro_batch = 1;
    MachineModel machine;
    machine.nodes = 2;
    machine.gpus = 2;
    machine.network_bandwidth = 1e7;
    machine.link_bandwidth = 1e11;
    const auto ranking = ranking_of(c, 4, machine);
    const MeshShape best = ranking.candidates.front().plan.layout.mesh;
    CAPTURE(to_string(best));
    CHECK(best[Axis::tensor] < 4);
    CHECK(best[Axis::data] < 4);
}
