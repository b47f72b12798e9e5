#include "civitas/report/step.hpp"

#include "civitas/report/pace.hpp"

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

using namespace civitas;
using namespace civitas::report;

namespace {

std::vector<StepValue> values_of_gan(double d_loss, double g_loss, double d_real, double d_fake) {
    return {{.key = "d_loss", .label = "D", .value = d_loss},
            {.key = "g_loss", .label = "G", .value = g_loss},
            {.key = "d_real", .label = "D(x)", .digits = 2, .group = 1, .value = d_real},
            {.key = "d_fake", .label = "D(G(z))", .digits = 2, .group = 1, .value = d_fake}};
}

StepRecord everything() {
    StepRecord r;
    r.step = 120;
    r.steps = 1000;
    r.time = 1.5e9;
    r.epoch = 2.5;
    r.values = values_of_gan(1.3124, 0.8419, 0.61, 0.382);
    r.seconds = 0.6107;
    r.tiles = 8;
    r.flops = 412e9 * r.seconds;
    r.peak_flops = 665e9;
    r.communication_share = 0.04;
    r.bubble_share = 0.07;
    r.bytes = 2'100'000'000;
    r.seconds_left = 8.2 * 60;
    return r;
}

StepRecord number(std::int64_t step) {
    StepRecord r;
    r.step = step;
    return r;
}

}  // namespace

TEST_CASE("what a record says of all ranks: the worst of memory and talking, the mean of idling") {
    StepRecord r;
    add_ranks(r, std::vector<RankFigures>{{0.1, 0.5, 100}, {0.3, 0.25, 400}, {0.2, 0, 300}});
    CHECK(r.communication_share == 0.3);
    CHECK(r.bubble_share == 0.25);
    CHECK(r.bytes == 400);
}

TEST_CASE("the step line is as documented") {
    CHECK(to_line(everything()) ==
          "step 120/1000 | D 1.312 G 0.842 | D(x) 0.61 D(G(z)) 0.38 | 0.61 s | 13.1 tiles/s | 412 "
          "GF/s (62 % of peak) | comm 4 % | bubble 7 % | 2.1 GB | eta 8 m");
}

TEST_CASE("a line of metrics is as documented") {
    CHECK(to_json(everything()) ==
          R"({"step":120,"steps":1000,"time":1500000000.0,"epoch":2.5,"d_loss":1.3124,)"
          R"("g_loss":0.8419,"d_real":0.61,"d_fake":0.382,"seconds":0.6107,"tiles":8,)"
          R"("flops":251608400000.0,"peak_flops":665000000000.0,"communication_share":0.04,)"
          R"("bubble_share":0.07,"bytes":2100000000,"seconds_left":491.99999999999994})");
}

TEST_CASE("where each rank makes steps of its own, the line tells how fast all of them are") {
    StepRecord r = everything();
    r.made_alone = {
        .rank = 3, .staleness = 2, .ranks = 4, .steps_per_second = 5, .rank_steps_per_second = 1.5};
    CHECK(seconds_of_a_step(r) == 0.2);
    CHECK_THAT(to_line(r),
               Catch::Contains(" | 0.20 s | 40.0 tiles/s | 1258 GF/s (47 % of peak) | "));
    CHECK_THAT(
        to_json(r),
        Catch::Contains(R"("seconds":0.6107,)") &&
            Catch::EndsWith(
                R"("rank":3,"staleness":2,"steps_per_second":5.0,"rank_steps_per_second":1.5})"));
    r.made_alone->steps_per_second = 0;
    CHECK(seconds_of_a_step(r) == r.seconds);
}

TEST_CASE("where parts of several steps are made at once, the line tells how fast steps end") {
    StepRecord r = everything();
    r.seconds = 0;
    r.made_in_parts = {.ranks = {1, 0}, .staleness = 3, .steps_per_second = 5};
    CHECK(seconds_of_a_step(r) == 0.2);
    CHECK_THAT(to_line(r),
               Catch::Contains(" | 0.20 s | 40.0 tiles/s | 1258 GF/s (189 % of peak) | "));
    CHECK_THAT(to_json(r),
               Catch::EndsWith(R"("ranks":[1,0],"staleness":3,"steps_per_second":5.0})"));
}

TEST_CASE("the pace is of the last seconds, and at least of a step of each rank") {
    Pace pace(2);
    pace.begin(100);
    CHECK(pace.step_ended(100) == 0);
    CHECK(pace.step_ended(100.5) == 4);
    CHECK(pace.step_ended(102) == 1.5);
    CHECK(pace.step_ended(101) == 2);
    CHECK(pace.step_ended(105.25) == 3 / 4.75);
    CHECK(pace.step_ended(145.25) == 2 / 43.25);
    pace.begin(200);
    CHECK(pace.step_ended(202) == 0.5);
}

TEST_CASE("what goes through the cuts of a pipe is in its lines") {
    StepRecord r = everything();
    CHECK(to_json(r).find("cuts") == std::string::npos);
    r.cuts = {{0, 1, 4096, 0.25}, {1, 0, 2048, 0.5}};
    const auto line = nlohmann::json::parse(to_json(r));
    CHECK(line.at("cuts").dump() == R"([{"bytes":4096,"from":0,"to":1,"waited_seconds":0.25},)"
                                    R"({"bytes":2048,"from":1,"to":0,"waited_seconds":0.5}])");
}

TEST_CASE("what ranks and nodes hold is in the lines that know it") {
    StepRecord r = number(1);
    r.held = {{"moments", {3, 5}}, {"all", {4, 6}}};
    CHECK_THAT(to_json(r),
               Catch::EndsWith(R"("seconds_left":0.0,"rank_bytes":{"all":4,"moments":3},)"
                               R"("node_bytes":{"all":6,"moments":5}})"));
    r.tells_of_nodes = false;
    CHECK_THAT(to_json(r), Catch::EndsWith(R"("rank_bytes":{"all":4,"moments":3}})"));
}

TEST_CASE("a task says its own values, in its own order, words, digits and groups") {
    StepRecord r = number(7);
    r.steps = 20;
    r.values = {{.key = "loss", .label = "loss", .digits = 4, .value = 0.69314},
                {.key = "accuracy", .label = "right", .digits = 2, .group = 1, .value = 0.875},
                {.key = "accuracy_5", .label = "in five", .digits = 1, .group = 1, .value = 1},
                {.key = "classes", .label = "classes", .digits = 0, .value = 10}};
    CHECK(to_line(r) == "step 7/20 | loss 0.6931 | right 0.88 in five 1.0 | classes 10");
    CHECK_THAT(to_json(r), Catch::StartsWith(R"({"step":7,"steps":20,"time":0.0,"epoch":0.0,)"
                                             R"("loss":0.69314,"accuracy":0.875,"accuracy_5":1.0,)"
                                             R"("classes":10.0,"seconds":0.0,"tiles":0,)"));
}

TEST_CASE("what is not known is left out of the step line") {
    StepRecord r = everything();
    r.peak_flops = r.communication_share = r.bubble_share = 0;
    CHECK(to_line(r) ==
          "step 120/1000 | D 1.312 G 0.842 | D(x) 0.61 D(G(z)) 0.38 | 0.61 s | 13.1 tiles/s | 412 "
          "GF/s | 2.1 GB | eta 8 m");
    r.step = r.steps;
    r.flops = 0;
    r.bytes = 0;
    CHECK(to_line(r) ==
          "step 1000/1000 | D 1.312 G 0.842 | D(x) 0.61 D(G(z)) 0.38 | 0.61 s | 13.1 tiles/s");
    r = number(1);
    CHECK(to_line(r) == "step 1/0");
    r.values = values_of_gan(0, 0, 0, 0);
    CHECK(to_line(r) == "step 1/0 | D 0.000 G 0.000 | D(x) 0.00 D(G(z)) 0.00");
}

TEST_CASE("times are told in fitting units") {
    StepRecord r = everything();
    const auto eta = [&](double seconds) {
        r.seconds_left = seconds;
        const std::string line = to_line(r);
        return line.substr(line.find("eta "));
    };
    CHECK(eta(42) == "eta 42 s");
    CHECK(eta(3000) == "eta 50 m");
    CHECK(eta(9000) == "eta 2 h");
    CHECK(eta(86400 * 3.1) == "eta 3 d");
    r.seconds = 0.0042;
    CHECK_THAT(to_line(r), Catch::Contains("| 0.004 s |"));
}

TEST_CASE("numbers come back from JSON to the bit") {
    StepRecord r = everything();
    r.values = values_of_gan(0.1 + 0.2, 5e-324, -1.0 / 3, std::nextafter(1e22, 0));
    const auto read = nlohmann::json::parse(to_json(r));
    const auto same = [&](const std::string& name, double value) {
        return std::bit_cast<std::uint64_t>(read.at(name).get<double>()) ==
               std::bit_cast<std::uint64_t>(value);
    };
    for (const StepValue& value : r.values) CHECK(same(value.key, value.value));
    CHECK(same("seconds", r.seconds));
    CHECK(read.at("step") == 120);
    CHECK(read.at("bytes") == 2'100'000'000);
    CHECK(read.at("time") == 1.5e9);
    CHECK(read.at("epoch") == 2.5);
    r.values = values_of_gan(std::numeric_limits<double>::quiet_NaN(),
                             std::numeric_limits<double>::infinity(), 0, 0);
    CHECK_THAT(to_json(r), Catch::Contains("\"d_loss\":null,\"g_loss\":null"));
    CHECK(to_json(r).find('\n') == std::string::npos);
}

TEST_CASE("two values of one key are refused: a line would keep one of them") {
    StepRecord r = everything();
    r.values.push_back(r.values.front());
    CHECK_THROWS_WITH(to_json(r), Catch::Contains("every value of a step has a key of its own"));
    r.values = {{.key = "step", .label = "a step of its own", .value = 1}};
    CHECK_THROWS_WITH(to_json(r), Catch::Contains("every value of a step has a key of its own"));
}

TEST_CASE("the most that a rank has, and a node, wherever its ranks are") {
    const std::vector<std::int64_t> ranks{5, 9, 7, 1};
    const auto most = [&](std::vector<int> nodes) {
        return most_bytes(ranks, NodeMap(std::move(nodes)));
    };
    CHECK(most({0, 0, 0, 0}).rank == 9);
    CHECK(most({0, 0, 0, 0}).node == 22);
    CHECK(most({0, 0, 1, 1}).node == 14);
    CHECK(most({0, 1, 0, 1}).node == 12);
    CHECK(most({0, 1, 2, 3}).node == 9);
}

TEST_CASE("figures have the names of metrics, and all is of one rank") {
    const std::vector<HeldBytes> ranks{{1, 2, 4, 8, 16, 32, 64}, {.activations = 100}};
    const auto most = most_by_name(ranks, NodeMap::filled(2, 1));
    CHECK(most.at("parameters").rank == 1);
    CHECK(most.at("gradients").rank == 2);
    CHECK(most.at("moments").rank == 4);
    CHECK(most.at("mean").rank == 8);
    CHECK(most.at("activations").rank == 100);
    CHECK(most.at("messages").rank == 32);
    CHECK(most.at("copy").rank == 64);
    CHECK(most.at("all").rank == 127);
    CHECK(most_by_name(ranks, NodeMap::filled(2, 2)).at("all").node == 227);
    HeldBytes sum = ranks[0];
    sum += ranks[1];
    CHECK(sum.all() == 227);
}
