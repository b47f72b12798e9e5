#include "civitas/compare/figures.hpp"

#include "civitas/report/step.hpp"
#include "support/agree.hpp"

using namespace civitas;
using namespace civitas::compare;

namespace {

report::StepRecord record(std::int64_t step, double seconds, double time) {
    report::StepRecord r;
    r.step = step;
    r.time = time;
    r.values = {{.key = "d_loss", .label = "D", .value = 1.5 + static_cast<double>(step)},
                {.key = "d_real", .label = "D(x)", .value = 0.5},
                {.key = "g_loss", .label = "G", .value = 0.25}};
    r.seconds = seconds;
    r.tiles = 32;
    r.communication_share = 0.1 * static_cast<double>(step);
    r.bubble_share = 0.05;
    if (step == 1) r.held = {{"all", {1000, 2000}}, {"moments", {400, 800}}};
    return r;
}

/// A line as a run writes it.
std::string line(std::int64_t step, double seconds, double time) {
    return to_json(record(step, seconds, time)) + '\n';
}

std::string four_steps() {
    return line(1, 9, 100) + line(2, 0.2, 101) + line(3, 0.4, 103) + line(4, 0.3, 104);
}

}  // namespace

TEST_CASE("a round is made of the steps that count") {
    const Round round = round_of(four_steps(), 1);
    CHECK(round.steps == 3);
    CHECK(round.seconds == 0.3);
    CHECK(round.tiles_per_second == 32 / 0.3);
    CHECK(round.communication == Approx(0.3));
    CHECK(round.waiting == Approx(0.05));
    CHECK(round.losses ==
          std::vector<std::pair<std::string, double>>{{"d_loss", 5.5}, {"g_loss", 0.25}});
    CHECK(round.bytes.at("all") == 1000);
    CHECK(round.bytes.at("moments") == 400);
}

TEST_CASE("steps that ranks make by themselves are as fast as all of them together") {
    const auto of_rank = [](std::int64_t step, std::int64_t rank, double seconds) {
        auto r = record(step, seconds, 0);
        r.bubble_share = 0;
        r.made_alone = report::MadeAlone{.rank = rank, .staleness = 2};
        return to_json(r) + '\n';
    };
    // A step every 0.5 s, and one every 0.25 s; lines stand as steps ended.
    const Round round = round_of(
        of_rank(2, 1, 0.25) + of_rank(1, 0, 9) + of_rank(3, 0, 0.5) + of_rank(4, 1, 0.25), 1);
    CHECK(round.seconds == Approx(1.0 / 6));
    CHECK(round.tiles_per_second == Approx(6 * 32));
    CHECK(round.staleness == 2);
}

TEST_CASE("what a rank waits before a step is time of the step") {
    std::string lines;
    for (std::int64_t step = 1; step <= 3; ++step) {
        auto r = record(step, 0.3, 0);
        r.bubble_share = 0.25;
        r.made_alone = report::MadeAlone{.rank = 0};
        lines += to_json(r) + '\n';
    }
    CHECK(round_of(lines, 1).seconds == Approx(0.4));
}

TEST_CASE("steps that are made in parts are counted by the clock") {
    const auto in_parts = [](std::int64_t step, double time) {
        auto r = record(step, 7, time);
        r.made_in_parts = report::MadeInParts{.ranks = {0, 1}};
        return to_json(r) + '\n';
    };
    const Round round = round_of(in_parts(1, 100) + in_parts(2, 101) + in_parts(3, 103), 1);
    CHECK(round.seconds == Approx(1.5));
}

TEST_CASE("lines that are torn do not count, and too few are no round") {
    CHECK(round_of(four_steps() + "{\"step\":5,\"sec", 1).steps == 3);
    CHECK_THROWS_WITH(
        round_of(line(1, 1, 1), 1),
        "a run told of 1 steps, of which the first 1 do not count. Hint: more --steps.");
    CHECK_THROWS_AS(round_of("", 1), Error);
}

TEST_CASE("cuts are told by the steps that count") {
    std::string lines;
    for (const double waited : {9.0, 0.1, 0.4}) {
        auto r = record(lines.empty() ? 1 : 2, 0.5, 100);
        r.cuts = {{0, 1, 2'100'004, waited}, {1, 0, 1'050'002, 2 * waited}};
        lines += to_json(r) + '\n';
    }
    const Round round = round_of(lines, 1);
    REQUIRE(round.cuts.size() == 2);
    CHECK(round.cuts[0].bytes == 2'100'004);
    CHECK(round.cuts[0].waited_s == Approx(0.25));
    CHECK(round.cuts[1].from == 1);
    CHECK(round.cuts[1].to == 0);
    CHECK(round.cuts[1].waited_s == Approx(0.5));
    CHECK(round_of(four_steps(), 1).cuts.empty());
}

TEST_CASE("cuts are of all rounds") {
    Outcome o{.strategy = {.name = "gpipe"}};
    for (const double waited : {0.9, 0.2, 0.3})
        o.rounds.push_back({.cuts = {{0, 1, 2000, waited}, {1, 0, 1000, 2 * waited}}});
    o.rounds.back().cuts.pop_back();
    const auto cuts = cuts_over_rounds(o);
    REQUIRE(cuts.size() == 2);
    CHECK(cuts[0].bytes == 2000);
    CHECK(cuts[0].waited_s == std::vector{0.9, 0.2, 0.3});
    CHECK(spread_of(cuts[0].waited_s).median == 0.3);
    CHECK(cuts[1].from == 1);
    CHECK(cuts[1].to == 0);
    CHECK(cuts[1].waited_s == std::vector{1.8, 0.4});
    CHECK(cuts_over_rounds({.strategy = {.name = "data"}, .rounds = {Round{}}}).empty());
}

TEST_CASE("models side by side add up") {
    Round slow = round_of(four_steps(), 1);
    Round fast = slow;
    fast.seconds = 0.1;
    fast.tiles_per_second = 320;
    fast.bytes["all"] = 3000;
    const Round both = together({slow, fast});
    CHECK(both.tiles_per_second == Approx(320 + 32 / 0.3));
    CHECK(both.seconds == 0.3);
    CHECK(both.bytes.at("all") == 3000);
    CHECK(both.losses == slow.losses);
}

TEST_CASE("rounds have a middle and ends; speed-up and efficiency are those of one process") {
    const auto outcome = [](Family family, int ranks, int threads, std::vector<double> speeds) {
        Outcome o{.strategy = {.name = "s", .family = family, .ranks = ranks}};
        for (const double speed : speeds)
            o.rounds.push_back({.tiles_per_second = speed, .threads = threads});
        return o;
    };
    Comparison c{.subject = {.steps = 10}, .outcomes = {}};
    c.outcomes = {outcome(Family::process, 1, 2, {9, 10, 30}),
                  outcome(Family::data, 2, 1, {15, 12, 14})};
    const Spread spread = spread_of(c.outcomes[0], &Round::tiles_per_second);
    CHECK(spread.median == 10);
    CHECK(spread.least == 9);
    CHECK(spread.most == 30);
    CHECK(c.speed_up(c.outcomes[1]) == Approx(1.4));
    CHECK(c.efficiency(c.outcomes[1]) == Approx(1.4));  // on as many cores
    c.outcomes[1].rounds[0].threads = 2;
    CHECK(c.efficiency(c.outcomes[1]) == Approx(0.7));
    c.outcomes[0].rounds.clear();
    CHECK(!c.speed_up(c.outcomes[1]));
    CHECK(warm_up_of(2) == 1);
    CHECK(warm_up_of(10) == 2);
}
