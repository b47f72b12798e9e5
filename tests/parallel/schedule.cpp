#include "civitas/parallel/schedule.hpp"

#include "civitas/base/error.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace civitas;
using namespace civitas::parallel;
using Catch::Contains;

namespace {

Schedule table(std::int64_t micro_batches, bool redraw = false) {
    return make_schedule("1f1b", {.micro_batches = micro_batches, .redraw = redraw});
}

/// B and W in place of BW.
Schedule apart(Schedule schedule) {
    for (auto& actions : schedule.coordinates)
        for (std::size_t i = 0; i < actions.size(); ++i) {
            if (actions[i].kind != Kind::BW) continue;
            actions[i].kind = Kind::B;
            actions.insert(actions.begin() + static_cast<std::ptrdiff_t>(i) + 1, actions[i]);
            actions[i + 1].kind = Kind::W;
        }
    return schedule;
}

std::size_t place_of(const Schedule& schedule, const std::string& word) {
    const auto& actions = schedule.coordinates.at(0);
    const auto at = std::find_if(actions.begin(), actions.end(),
                                 [&](const Action& a) { return to_string(a) == word; });
    REQUIRE(at != actions.end());
    return static_cast<std::size_t>(at - actions.begin());
}

Schedule without(Schedule schedule, const std::string& word) {
    auto& actions = schedule.coordinates.at(0);
    actions.erase(actions.begin() + static_cast<std::ptrdiff_t>(place_of(schedule, word)));
    return schedule;
}

Schedule swapped(Schedule schedule, const std::string& a, const std::string& b) {
    auto& actions = schedule.coordinates.at(0);
    std::swap(actions.at(place_of(schedule, a)), actions.at(place_of(schedule, b)));
    return schedule;
}

Schedule repeated(Schedule schedule, const std::string& word) {
    auto& actions = schedule.coordinates.at(0);
    const auto at = actions.begin() + static_cast<std::ptrdiff_t>(place_of(schedule, word));
    actions.insert(at, *at);
    return schedule;
}

/// Two stages on two coordinates, D's on the same ones as G's, micro-batch 0 only.
const char* const two_stages =
    "schedule by-hand\n"
    "D0.real.F0 D0.real.B0 D0.real.W0 G0.generate.F0 D0.fake.F0 D0.fake.B0 D0.fake.W0 D.reduce "
    "D.step D0.generate.F0 D0.generate.B0 G0.generate.B0 G0.generate.W0 G.reduce G.step\n"
    "D1.real.F0 D1.real.B0 D1.real.W0 G1.generate.F0 D1.fake.F0 D1.fake.B0 D1.fake.W0 D.reduce "
    "D.step D1.generate.F0 D1.generate.B0 G1.generate.B0 G1.generate.W0 G.reduce G.step\n";

}  // namespace

TEST_CASE("the table of one stage, written out") {
    CHECK(to_string(make_schedule("naive", {.micro_batches = 2})) ==
          "schedule naive\n"
          "D0.real.F0 D0.real.BW0 D0.real.F1 D0.real.BW1 "
          "G0.generate.F0 D0.fake.F0 D0.fake.BW0 "
          "G0.generate.F1 D0.fake.F1 D0.fake.BW1 D.reduce D.step "
          "D0.generate.F0 D0.generate.B0 G0.generate.BW0 "
          "D0.generate.F1 D0.generate.B1 G0.generate.BW1 G.reduce G.step\n");
    for (const char* name : {"naive", "gpipe", "1f1b", "zero-bubble", "gan", "interleaved:1"})
        CHECK((make_schedule(name, {.micro_batches = 2}).coordinates == table(2).coordinates));
}

TEST_CASE("generated tables pass the check and survive their text") {
    for (const bool redraw : {false, true})
        for (std::int64_t m = 1; m <= 5; ++m) {
            const Schedule schedule = table(m, redraw);
            CHECK_NOTHROW(check_schedule(schedule, {.micro_batches = m}));
            CHECK_NOTHROW(check_schedule(apart(schedule), {.micro_batches = m}));
            CHECK(parse_schedule(to_string(schedule)) == schedule);
        }
    const std::vector<Action> two{{.net = Net::discriminator, .kind = Kind::reduce},
                                  {.net = Net::generator, .kind = Kind::step}};
    const auto read = parse_schedule("# by hand\n\nschedule x # name\r\n D.reduce\tG.step # end");
    CHECK((read == Schedule{"x", {two}}));
}

TEST_CASE("what a table keeps: all of G, or one micro-batch when it redraws") {
    CHECK(kept_peak(table(5).coordinates[0]) == KeptPeak{5, 1});
    CHECK(kept_peak(table(5, true).coordinates[0]) == KeptPeak{1, 1});
}

TEST_CASE("unknown names and shapes that do not run are refused") {
    CHECK_THROWS_WITH(make_schedule("1f2b", {}), Contains("unknown schedule '1f2b'. Hint: naive"));
    CHECK_THROWS_WITH(make_schedule("naive", {.coordinates = 2}), Contains("asks for 2"));
    CHECK_THROWS_WITH(make_schedule("naive", {.micro_batches = 0}), Contains("0 micro-batches"));
    CHECK_THROWS_WITH(make_schedule("interleaved:3", {.chunks = 2}),
                      Contains("interleaved:3 puts 3 stages of each net on a coordinate, not 2"));
    for (const char* name : {"", "gpipe2", "interleaved:", "interleaved:0", "interleaved:2x"})
        CHECK_THROWS_AS(chunks_of(name), UsageError);
    CHECK(chunks_of("interleaved") == 2);
    CHECK(chunks_of("interleaved:5") == 5);
    CHECK(chunks_of("gan") == 1);
}

TEST_CASE("text that is not a schedule is refused with line and word") {
    const auto refused = [](const std::string& text, const std::string& message) {
        CHECK_THROWS_WITH(parse_schedule(text), Contains(message));
        CHECK_THROWS_AS(parse_schedule(text), UsageError);
    };
    for (const char* word : {"E0.real.F0", "D0.real.F", "D0.rael.F0", "D.real.F0", "D0.step",
                             "Dx.real.F0", "D.F", "D0.real.step0", "D0.real.F-1", "D0.real.F0x",
                             "D0.real.F99999999999999999999", "D0", "D0.real.F0.", "."})
        refused("schedule x\n\nD.step " + std::string(word),
                "line 3: not an action: '" + std::string(word) + "'");
    refused("D0.real.F0\n", "line 1: no 'schedule NAME' but 'D0.real.F0'");
    refused("schedule empty\n", "holds no actions: 'empty'");
    refused("", "holds no actions");
}

TEST_CASE("the check names what is wrong with a table") {
    const auto refused = [](const Schedule& schedule, const std::string& message) {
        CHECK_THROWS_WITH(check_schedule(schedule, {.micro_batches = 3}), Contains(message));
        CHECK_THROWS_AS(check_schedule(schedule, {.micro_batches = 3}), UsageError);
    };
    const Schedule good = apart(table(3));
    refused(without(good, "D0.real.W1"), "D0.real.W2 cannot run: D0.real.W1 must come first");
    refused(without(good, "G0.generate.W2"), "G.reduce cannot run: G0.generate.W2 must");
    refused(swapped(good, "D0.real.F1", "D0.real.B1"),
            "coordinate 0, action 3: D0.real.B1 cannot run: D0.real.F1 must come first");
    refused(swapped(good, "D0.real.W0", "D0.real.W1"), "D0.real.B1 must come first");
    refused(swapped(good, "G0.generate.W0", "G0.generate.W1"), "G0.generate.B1 must come first");
    refused(repeated(good, "D0.fake.W1"), "D0.fake.W1 cannot run: has been done before");
    refused(repeated(good, "D.step"), "D.step cannot run: has been done before");
    refused(without(good, "D.reduce"), "D.step cannot run: D.reduce must come first");
    refused(without(good, "D.step"), "D0.generate.F0 cannot run: D.step must come first");
    refused(without(good, "G.step"), "G.step is missing");
    refused(without(without(good, "G.step"), "G.reduce"), "G.reduce is missing");
    refused(without(good, "D0.generate.B2"), "D0.generate.B2 must come first");
    refused(swapped(good, "G0.generate.F2", "D0.generate.F1"), "must come first");
    refused(without(table(3), "D0.real.BW1"), "D0.real.BW2 cannot run: D0.real.W1 must");
    refused(repeated(table(3), "D0.fake.BW1"), "D0.fake.BW1 cannot run: has been done before");
    refused(swapped(apart(table(3, true)), "G0.generate.redraw1", "G0.generate.B1"),
            "G0.generate.redraw1 must come first");
    refused(table(2), "D0.real.W2 must come first");
    refused(table(4), "D0.real.F3 cannot run: a rank has 3 micro-batches");
}

TEST_CASE("W descending, W before the real pass is over, B of G too early") {
    const auto refused = [](const std::string& actions, const std::string& message) {
        const Schedule schedule = parse_schedule("schedule x\n" + actions);
        CHECK_THROWS_WITH(check_schedule(schedule, {.micro_batches = 2}), Contains(message));
    };
    refused("D0.real.F0 D0.real.F1 D0.real.B1 D0.real.B0 D0.real.W1",
            "D0.real.W1 cannot run: D0.real.W0 must come first");
    refused("G0.generate.F0 D0.fake.F0 D0.fake.B0 D0.fake.W0", "D0.real.W1 must come first");
    refused("G0.generate.F0 G0.generate.B0", "every F of G must come first");
    refused("G0.real.F0", "G only has the pass generate");
    refused("D0.generate.W0", "D has no W in G's update");
    refused("D0.generate.BW0", "D has no W in G's update");
    refused("D0.real.redraw0", "only G is redrawn");
    refused("D1.real.F0", "the nets have 1 stages");
    refused("G0.generate.redraw0", "G0.generate.F0 must come first");
    refused("D0.real.F0\nD0.real.F1", "its stage has other actions on coordinate 0");
}

TEST_CASE("tables of several stages can be checked already") {
    // Stage 0 cannot go on before stage 1 has sent its gradient back: only B of stage 1 on the
    // other coordinate frees it.
    CHECK_NOTHROW(check_schedule(parse_schedule(two_stages), {.coordinates = 2}));
    auto blocked = parse_schedule(two_stages);
    auto& second = blocked.coordinates[1];
    std::rotate(second.begin() + 3, second.begin() + 4, second.begin() + 5);  // D1.fake.F0 first
    CHECK_THROWS_WITH(check_schedule(blocked, {.coordinates = 2}), Contains("must come first"));
    auto lonely = parse_schedule(two_stages);
    lonely.coordinates.pop_back();
    CHECK_THROWS_WITH(check_schedule(lonely, {.coordinates = 2}),
                      Contains("D1.real.B0 must come first"));
}

TEST_CASE("a table says where its stages live") {
    const Placement placement = placement_of(parse_schedule(
        "schedule x\nG0.generate.F0 G2.generate.F0 D.reduce\nG1.generate.F0 D0.real.F0"));
    CHECK(placement.coordinates() == 2);
    CHECK(placement.stages_of(Net::generator, 0) == std::vector{0, 2});
    CHECK(placement.stages_of(Net::discriminator, 0).empty());
    CHECK(placement.coordinate_of(Net::generator, 1) == 1);
    CHECK(placement.coordinate_of(Net::discriminator, 0) == 1);
    CHECK_FALSE(placement.find(Net::discriminator, 1).has_value());
}
