#include "civitas/schedule/schedule.hpp"

#include "civitas/base/error.hpp"
#include "civitas/schedule/gan.hpp"
#include "schedule/tables.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace civitas;
using namespace civitas::schedule;
using namespace civitas::test;
using Catch::Contains;

namespace {

Schedule table(std::int64_t micro_batches, bool redraw = false) {
    return make_schedule("1f1b",
                         {.graph = gan::graph(), .micro_batches = micro_batches, .redraw = redraw});
}

}  // namespace

TEST_CASE("the table of one stage, written out") {
    CHECK(to_string(make_schedule("naive", {.graph = gan::graph(), .micro_batches = 2})) ==
          "schedule naive\n"
          "D0.real.F0 D0.real.BW0 D0.real.F1 D0.real.BW1 "
          "G0.generate.F0 D0.fake.F0 D0.fake.BW0 "
          "G0.generate.F1 D0.fake.F1 D0.fake.BW1 D.reduce D.step "
          "D0.generate.F0 D0.generate.B0 G0.generate.BW0 "
          "D0.generate.F1 D0.generate.B1 G0.generate.BW1 G.reduce G.step\n");
    for (const char* name : {"naive", "gpipe", "1f1b", "zero-bubble", "gan", "interleaved:1"})
        CHECK((make_schedule(name, {.graph = gan::graph(), .micro_batches = 2}).coordinates ==
               table(2).coordinates));
}

TEST_CASE("generated tables pass the check and survive their text") {
    for (const bool redraw : {false, true})
        for (std::int64_t m = 1; m <= 5; ++m) {
            const Schedule schedule = table(m, redraw);
            CHECK_NOTHROW(check_schedule(schedule, {.graph = gan::graph(), .micro_batches = m}));
            CHECK_NOTHROW(
                check_schedule(apart(schedule), {.graph = gan::graph(), .micro_batches = m}));
            CHECK(parse_schedule(gan::graph(), to_string(schedule)) == schedule);
        }
    const std::vector<Action> two{{.net = gan::discriminator, .kind = Kind::reduce},
                                  {.net = gan::generator, .kind = Kind::step}};
    const auto read =
        parse_schedule(gan::graph(), "# by hand\n\nschedule x # name\r\n D.reduce\tG.step # end");
    CHECK((read == Schedule{"x", gan::graph(), {two}}));
    const std::vector<Action> weights{
        {.net = gan::generator, .kind = Kind::gather},
        {.net = gan::discriminator, .stage = StageId{3}, .kind = Kind::release}};
    const Schedule moved{"y", gan::graph(), {weights}};
    CHECK(to_string(moved) == "schedule y\nG0.gather D3.release\n");
    CHECK((parse_schedule(gan::graph(), to_string(moved)) == moved));
}

TEST_CASE("unknown names and shapes that do not run are refused") {
    CHECK_THROWS_WITH(make_schedule("1f2b", {}), Contains("unknown schedule '1f2b'. Hint: naive"));
    CHECK_THROWS_WITH(make_schedule("naive", {.graph = gan::graph(), .micro_batches = 0}),
                      Contains("0 micro-batches"));
    CHECK_THROWS_WITH(make_schedule("interleaved:3", {.graph = gan::graph(), .chunks = 2}),
                      Contains("interleaved:3 puts 3 stages of each net on a coordinate, not 2"));
    for (const char* name : {"", "gpipe2", "interleaved:", "interleaved:0", "interleaved:2x"})
        CHECK_THROWS_AS(chunks_of(name), UsageError);
    CHECK(chunks_of("interleaved") == 2);
    CHECK(chunks_of("interleaved:5") == 5);
    CHECK(chunks_of("gan") == 1);
    for (const char* name : {"gan", "interleaved", "interleaved:0"}) CHECK(is_schedule_name(name));
    for (const char* name : {"", "gan2", "interleaved2", "my/gan"})
        CHECK_FALSE(is_schedule_name(name));
}

TEST_CASE("text that is not a schedule is refused with line and word") {
    const auto refused = [](const std::string& text, const std::string& message) {
        CHECK_THROWS_WITH(parse_schedule(gan::graph(), text), Contains(message));
        CHECK_THROWS_AS(parse_schedule(gan::graph(), text), UsageError);
    };
    for (const char* word :
         {"E0.real.F0", "D0.real.F", "D0.rael.F0", "D.real.F0", "D0.step", "Dx.real.F0", "D.F",
          "D0.real.step0", "D0.real.F-1", "D0.real.F0x", "D0.real.F99999999999999999999", "D0",
          "D0.real.F0.", ".", "D.gather", "D0.gather0", "D0.real.gather", "D0.real.release0"})
        refused("schedule x\n\nD.step " + std::string(word),
                "line 3: not an action: '" + std::string(word) + "'");
    refused("D0.real.F0\n", "line 1: no 'schedule NAME' but 'D0.real.F0'");
    refused("schedule empty\n", "holds no actions: 'empty'");
    refused("", "holds no actions");
    refused("schedule x\n\x7f|\x02\x1b[2J\xff" + std::string(50, 'x'),
            "line 2: not an action: '?|??[2J?" + std::string(32, 'x') + "'");
    CHECK_THROWS_WITH(parse_schedule(gan::graph(), "D0", "mine.txt"),
                      Catch::StartsWith("schedule mine.txt, line 1: no 'schedule NAME' but 'D0'"));
}

TEST_CASE("a table says where its stages live") {
    const StagePlacement placement = placement_of(parse_schedule(
        gan::graph(),
        "schedule x\nG0.generate.F0 G2.generate.F0 D.reduce\nG1.generate.F0 D0.real.F0"));
    constexpr PipeCoordinate first{0};
    constexpr PipeCoordinate second{1};
    CHECK(placement.coordinates() == 2);
    CHECK(placement.stages_of(gan::generator, first) == std::vector{StageId{0}, StageId{2}});
    CHECK(placement.stages_of(gan::discriminator, first).empty());
    CHECK(placement.coordinate_of(gan::generator, StageId{1}) == second);
    CHECK(placement.coordinate_of(gan::discriminator, StageId{0}) == second);
    CHECK_FALSE(placement.find(gan::discriminator, StageId{1}).has_value());
}
