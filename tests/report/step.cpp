#include "civitas/report/step.hpp"

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

using namespace civitas;
using namespace civitas::report;

namespace {

StepRecord everything() {
    StepRecord r;
    r.step = 120;
    r.steps = 1000;
    r.time = 1.5e9;
    r.epoch = 2.5;
    r.d_loss = 1.3124;
    r.g_loss = 0.8419;
    r.d_real = 0.61;
    r.d_fake = 0.382;
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
    CHECK(to_line(number(1)) == "step 1/0 | D 0.000 G 0.000 | D(x) 0.00 D(G(z)) 0.00");
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
    r.d_loss = 0.1 + 0.2;
    r.g_loss = 5e-324;
    r.d_real = -1.0 / 3;
    r.d_fake = std::nextafter(1e22, 0);
    const auto read = nlohmann::json::parse(to_json(r));
    const auto same = [&](const char* name, double value) {
        return std::bit_cast<std::uint64_t>(read.at(name).get<double>()) ==
               std::bit_cast<std::uint64_t>(value);
    };
    CHECK(same("d_loss", r.d_loss));
    CHECK(same("g_loss", r.g_loss));
    CHECK(same("d_real", r.d_real));
    CHECK(same("d_fake", r.d_fake));
    CHECK(same("seconds", r.seconds));
    CHECK(read.at("step") == 120);
    CHECK(read.at("bytes") == 2'100'000'000);
    CHECK(read.at("time") == 1.5e9);
    CHECK(read.at("epoch") == 2.5);
    r.d_loss = std::numeric_limits<double>::quiet_NaN();
    r.g_loss = std::numeric_limits<double>::infinity();
    CHECK_THAT(to_json(r), Catch::Contains("\"d_loss\":null,\"g_loss\":null"));
    CHECK(to_json(r).find('\n') == std::string::npos);
}
