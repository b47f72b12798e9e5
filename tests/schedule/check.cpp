#include "civitas/schedule/gan.hpp"
#include "schedule/tables.hpp"

using namespace civitas;
using namespace civitas::schedule;
using namespace civitas::test;
using Catch::Contains;

namespace {

Schedule table(std::int64_t micro_batches, bool redraw = false) {
    return make_schedule("1f1b",
                         {.graph = gan::graph(), .micro_batches = micro_batches, .redraw = redraw});
}

/// Two stages on two coordinates, D's on the same ones as G's, micro-batch 0 only.
const char* const two_stages =
    "schedule by-hand\n"
    "D0.real.F0 D0.real.B0 D0.real.W0 G0.generate.F0 D0.fake.F0 D0.fake.B0 D0.fake.W0 D.reduce "
    "D.step D0.generate.F0 D0.generate.B0 G0.generate.B0 G0.generate.W0 G.reduce G.step\n"
    "D1.real.F0 D1.real.B0 D1.real.W0 G1.generate.F0 D1.fake.F0 D1.fake.B0 D1.fake.W0 D.reduce "
    "D.step D1.generate.F0 D1.generate.B0 G1.generate.B0 G1.generate.W0 G.reduce G.step\n";

}  // namespace

TEST_CASE("the check names what is wrong with a table") {
    const auto refused = [](const Schedule& schedule, const std::string& message) {
        CHECK_THROWS_WITH(check_schedule(schedule, {.graph = gan::graph(), .micro_batches = 3}),
                          Contains(message));
        CHECK_THROWS_AS(check_schedule(schedule, {.graph = gan::graph(), .micro_batches = 3}),
                        UsageError);
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
        const Schedule schedule = parse_schedule(gan::graph(), "schedule x\n" + actions);
        CHECK_THROWS_WITH(check_schedule(schedule, {.graph = gan::graph(), .micro_batches = 2}),
                          Contains(message));
    };
    refused("D0.real.F0 D0.real.F1 D0.real.B1 D0.real.B0 D0.real.W1",
            "D0.real.W1 cannot run: D0.real.W0 must come first");
    refused("G0.generate.F0 D0.fake.F0 D0.fake.B0 D0.fake.W0", "D0.real.W1 must come first");
    refused("G0.generate.F0 G0.generate.B0", "D0.generate.B0 must come first");
    refused("G0.real.F0", "G has no pass real");
    refused("D0.generate.W0", "D has no W in its pass generate");
    refused("D0.generate.BW0", "D has no W in its pass generate");
    refused("D0.real.redraw0", "D is not redrawn");
    refused("D1.real.F0", "D has 1 stage");
    refused("G0.generate.redraw0", "G0.generate.F0 must come first");
    refused("D0.real.F0\nD0.real.F1", "its stage has other actions on coordinate 0");
}

TEST_CASE("tables of several stages can be checked already") {
    // Stage 0 cannot go on before stage 1 has sent its gradient back: only B of stage 1 on the
    // other coordinate frees it.
    CHECK_NOTHROW(check_schedule(parse_schedule(gan::graph(), two_stages),
                                 {.graph = gan::graph(), .coordinates = 2}));
    auto blocked = parse_schedule(gan::graph(), two_stages);
    auto& second = blocked.coordinates[1];
    std::rotate(second.begin() + 3, second.begin() + 4, second.begin() + 5);  // D1.fake.F0 first
    CHECK_THROWS_WITH(check_schedule(blocked, {.graph = gan::graph(), .coordinates = 2}),
                      Contains("must come first"));
    auto lonely = parse_schedule(gan::graph(), two_stages);
    lonely.coordinates.pop_back();
    CHECK_THROWS_WITH(check_schedule(lonely, {.graph = gan::graph(), .coordinates = 2}),
                      Contains("D1.real.B0 must come first"));
}

TEST_CASE("broken tables of several coordinates: the action at fault is named") {
    const auto refused = [](const Schedule& schedule, const std::string& message) {
        INFO(to_string(schedule));
        const ScheduleShape shape{.graph = gan::graph(), .coordinates = 4, .micro_batches = 4};
        CHECK_THROWS_WITH(check_schedule(schedule, shape), Contains(message));
        CHECK_THROWS_AS(check_schedule(schedule, shape), UsageError);
    };
    for (const char* name : {"gpipe", "1f1b", "zero-bubble", "gan"}) {
        INFO(name);
        const Schedule good =
            make_schedule(name, {.graph = gan::graph(), .coordinates = 4, .micro_batches = 4});
        const Schedule split = apart(good);
        refused(without(split, "D2.real.W1"), "D2.real.W2 cannot run: D2.real.W1 must come first");
        refused(moved(split, "D2.fake.W3", "D2.fake.W2"),
                "D2.fake.W3 cannot run: D2.fake." + std::string(split == good ? "W2" : "B3") +
                    " must come first");
        refused(without(split, "G3.generate.W3"), "G.reduce cannot run: G3.generate.W3 must");
        refused(without(good, "D0.real.F2"), "D1.real.F2 cannot run: D0.real.F2 must come first");
        refused(without(good, "G1.generate.F0"), "G2.generate.F0 cannot run: G1.generate.F0 must");
        refused(moved(good, "D0.generate.F0", "D.reduce"),
                "D0.generate.F0 cannot run: D.step must come first");
    }
}

TEST_CASE("two messages swapped block both ends: refused, whichever side is named") {
    // Stage 1 would send micro-batch 1 first, stage 0 waits for 0 before it lets 1 begin.
    const Schedule good =
        make_schedule("1f1b", {.graph = gan::graph(), .coordinates = 2, .micro_batches = 4});
    CHECK_THROWS_WITH(check_schedule(swapped(good, "D1.real.F0", "D1.real.F2"),
                                     {.graph = gan::graph(), .coordinates = 2, .micro_batches = 4}),
                      Contains("D1.real.F2 cannot run: D0.real.F2 must come first"));
    CHECK_THROWS_WITH(check_schedule(swapped(good, "G1.generate.BW0", "G1.generate.BW1"),
                                     {.graph = gan::graph(), .coordinates = 2, .micro_batches = 4}),
                      Contains("G1.generate.BW1 cannot run: G1.generate.W0 must come first"));
}

TEST_CASE("redraw and recompute stand between F and B, redraw on all stages of G") {
    const ScheduleShape shape{.graph = gan::graph(),
                              .coordinates = 2,
                              .micro_batches = 2,
                              .redraw = true,
                              .recompute = true};
    const auto refused = [&](const Schedule& schedule, const std::string& message) {
        INFO(to_string(schedule));
        CHECK_THROWS_WITH(check_schedule(schedule, shape), Contains(message));
    };
    const Schedule good = make_schedule("gpipe", shape);
    CHECK_NOTHROW(check_schedule(good, shape));
    CHECK_NOTHROW(check_schedule(without(good, "D0.real.recompute1"), shape));
    refused(without(good, "G1.generate.redraw0"), "G1.generate.redraw0 is missing");
    refused(without(good, "G0.generate.redraw0"),
            "G1.generate.redraw0 cannot run: G0.generate.redraw0 must come first");
    refused(moved(good, "G0.generate.recompute0", "G0.generate.redraw0"),
            "G0.generate.recompute0 cannot run: G0.generate.redraw0 must come first");
    refused(moved(good, "D0.real.recompute1", "D0.real.F1"),
            "D0.real.recompute1 cannot run: D0.real.F1 must come first");
    refused(moved(good, "D0.real.BW0", "D0.real.recompute0"),
            "D0.real.BW0 cannot run: D0.real.recompute0 must come first");
    refused(repeated(good, "D0.real.recompute0"), "has been done before");
}

TEST_CASE("a user's table places stages as it likes, each on one coordinate") {
    // All of G on one coordinate, all of D on the other.
    const Schedule apart_nets = parse_schedule(
        gan::graph(),
        "schedule two-devices\n"
        "G0.generate.F0 G1.generate.F0 G1.generate.BW0 G0.generate.BW0 G.reduce G.step\n"
        "D0.real.F0 D1.real.F0 D1.real.BW0 D0.real.BW0 D0.fake.F0 D1.fake.F0 D1.fake.BW0 "
        "D0.fake.BW0 D.reduce D.step D0.generate.F0 D1.generate.F0 D1.generate.B0 "
        "D0.generate.B0\n");
    const ScheduleShape shape{.graph = gan::graph(), .coordinates = 2};
    CHECK_NOTHROW(check_schedule(apart_nets, shape));
    CHECK_THROWS_WITH(check_schedule(without(apart_nets, "D1.real.BW0"), shape),
                      Contains("coordinate 1, action 2: D0.real.BW0 cannot run: D1.real.B0"));
    Schedule stray = apart_nets;
    stray.coordinates[0].push_back({.net = gan::discriminator, .kind = Kind::reduce});
    CHECK_THROWS_WITH(check_schedule(stray, shape),
                      Contains("D.reduce cannot run: no stage of D lives here"));
    stray = apart_nets;
    std::swap(stray.coordinates[0][1], stray.coordinates[1][1]);
    CHECK_THROWS_WITH(check_schedule(stray, shape), Contains("other actions on coordinate 0"));
}
