#include "schedule/split_tables.hpp"

using namespace civitas;
using namespace civitas::schedule;
using namespace civitas::test;
using Catch::Contains;

TEST_CASE("the check names what is wrong with gathers") {
    const auto refused = [](const Schedule& schedule, const std::string& message) {
        INFO(to_string(schedule));
        const ScheduleShape shape{.graph = gan::graph()};
        CHECK_THROWS_WITH(check_schedule(schedule, shape), Contains(message));
        CHECK_THROWS_AS(check_schedule(schedule, shape), UsageError);
    };
    const Schedule good = with_gathers(make_schedule("1f1b", {.graph = gan::graph()}));
    refused(without(good, "G0.gather"), "action 3: G0.generate.F0 cannot run: G0.gather must come");
    refused(moved(good, "G0.gather", "D0.fake.F0"), "G0.generate.F0 cannot run: G0.gather must");
    refused(repeated(good, "D0.gather"), "D0.gather cannot run: its weights are here already");
    refused(repeated(good, "D0.release"), "D0.release cannot run: D0.gather must come first");
    refused(without(good, "D0.release"), "D.step cannot run: D0.release must come first");
    refused(moved(good, "G0.release", "D0.real.F0"), "G0.generate.F0 cannot run: G0.gather must");
    Schedule left = good;
    left.coordinates[0].push_back({.net = gan::generator, .kind = Kind::gather});
    refused(left, "schedule 1f1b: G0.release is missing");
    left.coordinates[0].back().stage = StageId{1};
    refused(left, "G1.gather cannot run: G has 1 stage");
    left.coordinates.push_back({{.net = gan::generator, .kind = Kind::release}});
    left.coordinates[0].pop_back();
    refused(left, "G0.release cannot run: its stage has other actions on coordinate 0");
    const Schedule nowhere = parse_schedule(gan::graph(), "schedule x\nD0.gather");
    refused(nowhere, "D0.gather cannot run: its stage has no other actions");
}
