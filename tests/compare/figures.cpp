#include "civitas/compare/figures.hpp"

#include "civitas/report/step.hpp"
#include "support/agree.hpp"

using namespace civitas;
using namespace civitas::compare;

namespace {

/// A line as a run writes it.
std::string line(std::int64_t step, double seconds, double time) {
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
    return to_json(r) + '\n';
}

std::string four_steps() {
    return line(1, 9, 100) + line(2, 0.2, 101) + line(3, 0.4, 103) + line(4, 0.3, 104);
}

}  // namespace

TEST_CASE("a round is made of the steps that count") {
    const Round round = round_of(four_steps(), 1, Pace::one_by_one);
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

TEST_CASE("steps that end by themselves are counted by the clock") {
    const Round round = round_of(four_steps(), 1, Pace::by_themselves);
    CHECK(round.seconds == Approx(4.0 / 3));
    CHECK(round.tiles_per_second == Approx(24));
    // They are written as they end.
    const std::string shuffled =
        line(1, 9, 100) + line(3, 0.4, 103) + line(4, 0.3, 104) + line(2, 0.2, 101);
    CHECK(round_of(shuffled, 1, Pace::by_themselves).seconds == round.seconds);
}

TEST_CASE("lines that are torn do not count, and too few are no round") {
    CHECK(round_of(four_steps() + "{\"step\":5,\"sec", 1, Pace::one_by_one).steps == 3);
    CHECK_THROWS_WITH(
        round_of(line(1, 1, 1), 1, Pace::one_by_one),
        "a run told of 1 steps, of which the first 1 do not count. Hint: more --steps.");
    CHECK_THROWS_AS(round_of("", 1, Pace::one_by_one), Error);
}

TEST_CASE("a run's log tells of its cuts") {
    const auto cuts = cuts_of(
        "step 1/10 | D 1.3\n10 steps in 5.00 s, 64 tiles/s, waited 0 s for tiles\n"
        "pipe 0 -> 1: 2.1 MB a step, waited for 20 % of the time\n"
        "pipe 1 -> 0: 1.05 MB a step, waited for 1e-01 % of the time\n");
    REQUIRE(cuts.size() == 2);
    CHECK(cuts[0] == Cut{0, 1, 2.1e6, 0.1});
    CHECK(cuts[1].waited_s == Approx(0.0005));
    CHECK(cuts_of("10 steps in 5.00 s, 64 tiles/s\n").empty());
}

TEST_CASE("models side by side add up") {
    Round slow = round_of(four_steps(), 1, Pace::one_by_one);
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
