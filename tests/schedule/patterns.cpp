#include "civitas/schedule/gan.hpp"
#include "civitas/schedule/schedule.hpp"
#include "civitas/schedule/simulator.hpp"
#include "schedule/tables.hpp"

#include <catch2/catch.hpp>
#include <sstream>

using namespace civitas;
using namespace civitas::schedule;
using namespace civitas::test;
using Catch::Contains;

namespace {

/// Lists of PyTorch 2.11's schedules for 4 ranks and 8 micro-batches, in its notation (I is B to
/// the input): what torch.distributed.pipelining prints for them.
const std::vector<std::string> pytorch_zero_bubble{
    "0F0 0F1 0F2 0F3 0I0 0W0 0F4 0I1 0W1 0F5 0I2 0W2 0F6 0I3 0W3 0F7 0I4 0W4 0I5 0W5 0I6 0W6 0I7 "
    "0W7",
    "1F0 1F1 1F2 1I0 1F3 1I1 1W0 1F4 1I2 1W1 1F5 1I3 1W2 1F6 1I4 1W3 1F7 1I5 1W4 1I6 1W5 1I7 1W6 "
    "1W7",
    "2F0 2F1 2I0 2F2 2I1 2F3 2I2 2W0 2F4 2I3 2W1 2F5 2I4 2W2 2F6 2I5 2W3 2F7 2I6 2W4 2I7 2W5 2W6 "
    "2W7",
    "3F0 3I0 3F1 3I1 3F2 3I2 3F3 3I3 3W0 3F4 3I4 3W1 3F5 3I5 3W2 3F6 3I6 3W3 3F7 3I7 3W4 3W5 3W6 "
    "3W7"};
const std::vector<std::string> pytorch_interleaved_2{
    "0F0 0F1 0F2 0F3 4F0 4F1 4F2 4F3 0F4 0F5 0F6 4B0 0F7 4B1 4F4 4B2 4F5 4B3 4F6 0B0 4F7 0B1 0B2 "
    "0B3 4B4 4B5 4B6 4B7 0B4 0B5 0B6 0B7",
    "1F0 1F1 1F2 1F3 5F0 5F1 5F2 5F3 1F4 5B0 1F5 5B1 1F6 5B2 1F7 5B3 5F4 1B0 5F5 1B1 5F6 1B2 5F7 "
    "1B3 5B4 5B5 5B6 5B7 1B4 1B5 1B6 1B7",
    "2F0 2F1 2F2 2F3 6F0 6F1 6F2 6B0 6F3 6B1 2F4 6B2 2F5 6B3 2F6 2B0 2F7 2B1 6F4 2B2 6F5 2B3 6F6 "
    "6B4 6F7 6B5 6B6 6B7 2B4 2B5 2B6 2B7",
    "3F0 3F1 3F2 3F3 7F0 7B0 7F1 7B1 7F2 7B2 7F3 7B3 3F4 3B0 3F5 3B1 3F6 3B2 3F7 3B3 7F4 7B4 7F5 "
    "7B5 7F6 7B6 7F7 7B7 3B4 3B5 3B6 3B7"};

/// In PyTorch's notation, where `backward` stands for B or BW.
std::vector<std::string> in_pytorch_words(const Schedule& schedule, const std::string& backward) {
    std::vector<std::string> lists;
    for (const auto& actions : schedule.coordinates) {
        std::ostringstream out;
        for (const Action& a : actions) {
            const std::string kind = a.kind == Kind::F ? "F" : a.kind == Kind::W ? "W" : backward;
            out << (out.tellp() > 0 ? " " : "") << index(a.stage) << kind << index(a.micro);
        }
        lists.push_back(out.str());
    }
    return lists;
}

Schedule only_F_and_B(Schedule schedule) {
    for (auto& actions : schedule.coordinates)
        std::erase_if(actions, [](const Action& a) { return a.kind == Kind::W; });
    return schedule;
}

/// What one coordinate keeps of D.
std::int64_t kept(const std::string& name, int coordinates, std::int64_t micro_batches, int at) {
    const auto shape = shape_of(name, coordinates, micro_batches);
    return memory_peak(single_pass(name, shape, gan::real), PipeCoordinate{at},
                       unit_costs(gan::graph(), shape))
        .kept.at(1);
}

Simulation simulated(const std::string& name, int coordinates, std::int64_t micro_batches) {
    const auto shape = shape_of(name, coordinates, micro_batches);
    return simulate(single_pass(name, shape, gan::real), unit_costs(gan::graph(), shape));
}

}  // namespace

TEST_CASE("the patterns are those that PyTorch's pipelines run") {
    const auto table = [](const char* name) {
        return single_pass(name, shape_of(name, 4, 8), gan::real);
    };
    CHECK(in_pytorch_words(table("zero-bubble"), "I") == pytorch_zero_bubble);
    CHECK(in_pytorch_words(table("interleaved:2"), "B") == pytorch_interleaved_2);
    CHECK(in_pytorch_words(table("1f1b"), "I") ==
          in_pytorch_words(only_F_and_B(table("zero-bubble")), "I"));
    CHECK(to_string(single_pass("gpipe", shape_of("gpipe", 2, 2), gan::real)) ==
          "schedule gpipe\n"
          "D0.real.F0 D0.real.F1 D0.real.BW0 D0.real.BW1\n"
          "D1.real.F0 D1.real.F1 D1.real.BW0 D1.real.BW1\n");
    CHECK(to_string(single_pass("naive", shape_of("naive", 2, 2), gan::real)) ==
          "schedule naive\n"
          "D0.real.F0 D0.real.BW0 D0.real.F1 D0.real.BW1\n"
          "D1.real.F0 D1.real.BW0 D1.real.F1 D1.real.BW1\n");
    CHECK((single_pass("gan", shape_of("gan", 4, 8), gan::real).coordinates ==
           table("zero-bubble").coordinates));
    CHECK((single_pass("interleaved:1", shape_of("interleaved:1", 4, 8), gan::real).coordinates ==
           table("1f1b").coordinates));
}

TEST_CASE("idle time of one net with equal times is the published one") {
    for (const int p : {2, 4})
        for (const int m : {4, 8, 16}) {
            INFO("P " << p << ", M " << m);
            const auto check = [&](const std::string& name, double idle, double bubble) {
                INFO(name);
                const auto run = simulated(name, p, m);
                for (const auto& coordinate : run.coordinates)
                    CHECK(coordinate.idle_s == Approx(idle).epsilon(1e-12));
                CHECK(run.bubble() == Approx(bubble).epsilon(1e-12));
            };
            const double last = p - 1;
            check("gpipe", 3 * last, last / (m + last));
            check("1f1b", 3 * last, last / (m + last));
            for (const int v : {2, 3, 4})
                check("interleaved:" + std::to_string(v), 3 * last / v, last / (v * m + last));
            check("zero-bubble", last, last / (3 * m + last));
            check("naive", 3 * m * last, last / p);
        }
}

TEST_CASE("what one net keeps: min(P-s, M) under 1F1B, M under gpipe, P under zero-bubble") {
    for (const int p : {2, 4})
        for (const int m : {1, 2, 3, 8})
            for (int s = 0; s < p; ++s) {
                INFO("P " << p << ", M " << m << ", stage " << s);
                CHECK(kept("1f1b", p, m, s) == std::min(p - s, m));
                CHECK(kept("gpipe", p, m, s) == m);
                CHECK(kept("naive", p, m, s) == 1);
                CHECK(kept("zero-bubble", p, m, s) == std::min(p, m));
            }
}

TEST_CASE("reversed, D's first stage lives on the last coordinate") {
    ScheduleShape shape = shape_of("1f1b", 4, 2);
    const auto ordered = placement_of(make_schedule("1f1b", shape));
    shape.reversed = true;
    const auto reversed = placement_of(make_schedule("1f1b", shape));
    for (int s = 0; s < 4; ++s) {
        CHECK(index(ordered.coordinate_of(gan::discriminator, StageId{s})) == s);
        CHECK(index(reversed.coordinate_of(gan::discriminator, StageId{s})) == 3 - s);
        CHECK(index(reversed.coordinate_of(gan::generator, StageId{s})) == s);
    }
    const auto twice = placement_of(make_schedule("interleaved", shape_of("interleaved", 2, 2)));
    CHECK(twice.stages_of(gan::generator, PipeCoordinate{1}) ==
          std::vector{StageId{1}, StageId{3}});
}

TEST_CASE("interleaved tables need groups of P micro-batches") {
    CHECK_THROWS_WITH(
        make_schedule("interleaved:2", shape_of("interleaved:2", 4, 6)),
        Contains("a rank has 6 of them, no multiple of 4. Hint: ") && Contains("--schedule 1f1b"));
    CHECK_THROWS_AS(single_pass("interleaved:2", shape_of("interleaved:2", 4, 6), gan::real),
                    UsageError);
    CHECK_NOTHROW(make_schedule("interleaved:1", shape_of("interleaved:1", 4, 6)));
}
