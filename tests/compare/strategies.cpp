#include "civitas/compare/strategies.hpp"

#include "support/agree.hpp"

#include <algorithm>

using namespace civitas;
using namespace civitas::compare;

namespace {

std::vector<Considered> of_ranks(int ranks) { return consider(ranks, {{}, {3, 2}, {1, 1, 3}}); }

/// `one-process replicas ...`
std::string names_of(const std::vector<Considered>& all, bool fitting) {
    std::string names;
    for (const Considered& c : all)
        if (c.why_not.empty() == fitting) names += (names.empty() ? "" : " ") + c.strategy.name;
    return names;
}

const Considered& find(const std::vector<Considered>& all, const std::string& name) {
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const Considered& c) { return c.strategy.name == name; });
    REQUIRE(found != all.end());
    return *found;
}

planner::Configuration applied_by(int ranks, const std::string& name) {
    planner::Configuration c;
    c.layout_options.mesh = MeshRequest("data=7");
    c.layout_options.replicas = 5;
    c.layout_options.shard = ShardLevel::parameters;
    return applied(find(of_ranks(ranks), name).strategy, c);
}

}  // namespace

TEST_CASE("all strategies of a job are told, those for more ranks with the reason") {
    CHECK(names_of(of_ranks(1), true) == "one-process replicas");
    CHECK(find(of_ranks(1), "data").why_not == "it needs 2 ranks, the job has 1");
    CHECK(find(of_ranks(2), "data+pipe:2-2").why_not == "it needs 4 ranks, the job has 2");
    CHECK(find(of_ranks(5), "data+pipe:2-2").why_not ==
          "5 ranks are no product of two numbers over 1");
    CHECK(names_of(of_ranks(2), false) == "naive:1-1-3 data+pipe:2-2");
    CHECK(names_of(of_ranks(4), false).empty());
    CHECK(names_of(of_ranks(4), true) ==
          "one-process replicas data naive naive:3-2 naive:1-1-3 gpipe 1f1b interleaved:2 "
          "zero-bubble gan tensor data+pipe:2-2 shard:optimizer shard:gradients shard:parameters "
          "offload:host offload:disk async server population");
    CHECK_THAT(names_of(of_ranks(12), true),
               Catch::Contains("data+pipe:6-2 data+pipe:4-3 data+pipe:3-4 data+pipe:2-6 "));
    for (const int ranks : {1, 2, 3, 4, 12})
        for (const Considered& c : of_ranks(ranks)) {
            CAPTURE(ranks, c.strategy.name);
            CHECK((c.strategy.ranks <= ranks || !c.why_not.empty()));
            CHECK((c.strategy.is_by_itself() || c.strategy.mesh.size() == c.strategy.ranks));
        }
}

TEST_CASE("what a strategy sets takes the place of what was there") {
    const auto data = applied_by(4, "data").layout_options;
    CHECK(data.mesh.words() == "data=4,pipe=1,tensor=1");
    CHECK(data.replicas == 1);
    CHECK(data.shard == ShardLevel::none);
    CHECK(applied_by(4, "naive:1-1-3").layout_options.mesh.words() == "data=1,pipe=3,tensor=1");
    CHECK(applied_by(4, "naive:1-1-3").layout_options.stages_of(schedule::NetId{0}) ==
          Placement{1, 1, 3});
    CHECK(name_of(applied_by(4, "interleaved:2").layout_options.schedule) == "interleaved:2");
    CHECK(applied_by(4, "shard:gradients").layout_options.shard == ShardLevel::gradients);
    CHECK(applied_by(4, "offload:disk").layout_options.offload == Offload::disk);
    CHECK(applied_by(4, "replicas").layout_options.replicas == 4);
    CHECK(applied_by(4, "async").update.kind == UpdateKind::async);
    CHECK(applied_by(4, "async").update.ranks == 4);
    CHECK(applied_by(4, "async").layout_options.mesh.empty());
    CHECK(applied_by(4, "server").update.max_staleness == 0);
    CHECK(find(of_ranks(4), "population").strategy.models == 4);
}

TEST_CASE("of what a file says of a run, tiles and steps stay") {
    planner::Configuration c;
    c.run_options.tiles = "tiles.h5";
    c.run_options.steps = 20;
    c.run_options.epochs = 3;
    c.run_options.max_minutes = 1;
    c.run_options.population = 4;
    c.run_options.checkpoint_mode = planner::CheckpointMode::async;
    c.run_options.trace = "trace.json";
    const auto run = applied(find(of_ranks(2), "data").strategy, c).run_options;
    CHECK(run.tiles == "tiles.h5");
    CHECK(run.steps == 20);
    CHECK(run.epochs == 0);
    CHECK(run.max_minutes == 0);
    CHECK(run.population == 1);
    CHECK(run.checkpoint_mode == planner::CheckpointMode::sync);
    CHECK(run.trace.empty());
    CHECK(run.sample_every == 0);
}

TEST_CASE("a strategy is asked for by options of train") {
    const auto all = of_ranks(4);
    const auto options = [&](const std::string& name) {
        return options_of(find(all, name).strategy);
    };
    CHECK(options("naive:3-2") == " --mesh data=1,pipe=2,tensor=1 --schedule naive --stages 3,2");
    CHECK(options("shard:optimizer") == " --mesh data=4,pipe=1,tensor=1 --shard optimizer");
    CHECK(options("replicas") == " --mesh data=1,pipe=1,tensor=1 --replicas 4");
    CHECK(options("server") == " --update server");
    CHECK(options("population") == " --population 4");
    // A file may ask for another one, so nothing is left to it.
    const auto spelt_out = [&](const std::string& name) {
        return options_of(find(all, name).strategy, true);
    };
    CHECK(spelt_out("data") ==
          " --update sync --mesh data=4,pipe=1,tensor=1 --schedule 1f1b --shard none --offload none"
          " --replicas 1");
    CHECK(spelt_out("server") ==
          " --update server --mesh data=auto --schedule 1f1b --shard none"
          " --offload none --replicas 1");
}

TEST_CASE("strategies are chosen by name or kind") {
    const auto all = of_ranks(4);
    CHECK(named(all, "").size() == all.size());
    CHECK(names_of(named(all, "gpipe,one-process"), true) == "one-process gpipe");
    CHECK(names_of(named(all, "naive,shard"), true) ==
          "naive naive:3-2 naive:1-1-3 shard:optimizer shard:gradients shard:parameters");
    CHECK(names_of(named(all, "naive:3-2"), true) == "naive:3-2");
    CHECK_THROWS_WITH(
        named(all, "gpipe,tensors"),
        "--strategies gpipe,tensors: there is no 'tensors'. Hint: did you mean tensor?");
    CHECK_THROWS_WITH(named(all, "xyz"), Catch::Contains("Hint: one of 1f1b, async, data"));
    CHECK_THROWS_WITH(named(all, "gpipe,"), Catch::Contains("there is no ''"));
}

TEST_CASE("placements are lists of blocks") {
    CHECK(parse_placements("3,10,3/5,8,3") == std::vector<Placement>{{3, 10, 3}, {5, 8, 3}});
    CHECK_THROWS_WITH(parse_placements("3,x"),
                      Catch::Contains("--placements 3,x: 'x' is no number of blocks from 1 to") &&
                          Catch::Contains("Hint: --placements 3,2/2,3"));
    for (const char* words : {"3,0", "3,-1", "3,", "", "3,2/", "3 ,2"})
        CHECK_THROWS_WITH(parse_placements(words), Catch::Contains("is no number of blocks"));
    CHECK_THROWS_WITH(parse_placements("3,2/5"), Catch::Contains("5 is one stage"));
    CHECK_THROWS_WITH(parse_placements("3,2/3,2"), Catch::Contains("has 3,2 twice"));
}

TEST_CASE("usual placements put as much as can be at either end") {
    planner::Configuration c;
    c.problem.nets = planner::Nets({.net = "dcgan-64", .generator_widths = {512, 256, 128, 64}});
    const auto workload = planner::workload_of(c);
    CHECK(usual_placements(workload, 2) == std::vector<Placement>{{}, {4, 1}, {1, 4}});
    CHECK(usual_placements(workload, 4) == std::vector<Placement>{{}, {2, 1, 1, 1}, {1, 1, 1, 2}});
    CHECK(usual_placements(workload, 5) == std::vector<Placement>{{}});
}
