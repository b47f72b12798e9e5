// Every table that a run can ask for, on paper.
#include "civitas/schedule/gan.hpp"
#include "civitas/schedule/simulator.hpp"
#include "schedule/tables.hpp"

#include <iomanip>
#include <iostream>

using namespace civitas;
using namespace civitas::schedule;
using namespace civitas::test;

namespace {

Simulation simulated(const std::string& name, const ScheduleShape& shape) {
    return simulate(make_schedule(name, shape), unit_costs(gan::graph(), shape));
}

KeptPeak kept(const std::string& name, const ScheduleShape& shape, int coordinate) {
    return memory_peak(make_schedule(name, shape), PipeCoordinate{coordinate},
                       unit_costs(gan::graph(), shape))
        .kept;
}

bool same_work(const Schedule& a, const Schedule& b) {
    const auto sorted = [](const Schedule& schedule) {
        auto lists = apart(schedule).coordinates;
        for (auto& actions : lists) std::sort(actions.begin(), actions.end());
        return lists;
    };
    return sorted(a) == sorted(b);
}

}  // namespace

TEST_CASE("every table passes the check, survives its text and runs on paper") {
    int tables = 0;
    for_all_tables([&](const std::string& name, const ScheduleShape& shape) {
        const Schedule schedule = make_schedule(name, shape);
        INFO(to_string(schedule));
        CHECK_NOTHROW(check_schedule(schedule, shape));
        CHECK_NOTHROW(check_schedule(apart(schedule), shape));
        CHECK(parse_schedule(gan::graph(), to_string(schedule)) == schedule);
        const auto run = simulate(schedule, unit_costs(gan::graph(), shape));
        std::size_t actions = 0;
        for (const auto& list : schedule.coordinates) actions += list.size();
        CHECK(run.spans.size() == actions);
        CHECK(run.bubble() < 1);
        ++tables;
    });
    CHECK(tables == (5 * 9 + 8) * 8);
}

TEST_CASE("recomputing and redrawing add exactly their actions") {
    for_all_tables([](const std::string& name, const ScheduleShape& shape) {
        ScheduleShape plain = shape;
        plain.redraw = plain.recompute = false;
        const auto drop = [](Schedule schedule) {
            for (auto& actions : schedule.coordinates)
                std::erase_if(actions, [](const Action& a) {
                    return a.kind == Kind::redraw || a.kind == Kind::recompute;
                });
            return schedule;
        };
        const auto schedule = make_schedule(name, shape);
        CHECK(same_work(drop(schedule), make_schedule(name, plain)));
        for (const auto& actions : schedule.coordinates)
            for (std::size_t i = 1; i < actions.size(); ++i) {
                if (actions[i - 1].kind != Kind::recompute) continue;
                const bool backward = actions[i].kind == Kind::B || actions[i].kind == Kind::BW;
                CHECK((backward && actions[i].micro == actions[i - 1].micro));
            }
    });
    // Where F and its B follow each other at once there is nothing to run again.
    const auto last =
        make_schedule(
            "1f1b",
            {.graph = gan::graph(), .coordinates = 2, .micro_batches = 2, .recompute = true})
            .coordinates[1];
    const auto again = std::count_if(last.begin(), last.end(), [](const Action& a) {
        return a.net == gan::discriminator && a.kind == Kind::recompute;
    });
    CHECK(again == 0);
}

TEST_CASE("the gan table does the zero-bubble table's work in less time") {
    std::cout << "idle time of a GAN step, F = B = W = 1: zero-bubble -> gan\n";
    for (const int p : {2, 4})
        for (const int m : {4, 8})
            for (int bits = 0; bits < 4; ++bits) {
                const ScheduleShape shape{.graph = gan::graph(),
                                          .coordinates = p,
                                          .micro_batches = m,
                                          .redraw = (bits & 1) != 0,
                                          .reversed = (bits & 2) != 0};
                const auto sequential = simulated("zero-bubble", shape);
                const auto merged = simulated("gan", shape);
                std::cout << "P " << p << " M " << m << (shape.redraw ? " redraw" : " keep  ")
                          << (shape.reversed ? " reversed: " : " in order: ") << sequential.idle_s()
                          << " -> " << merged.idle_s() << '\n';
                CHECK(merged.idle_s() < sequential.idle_s());
                if (p == 4 && m == 8) CHECK(merged.idle_s() == (bits == 3 ? 24 : 28));
                for (int c = 0; c < p; ++c)
                    CHECK((kept("gan", shape, c) == kept("zero-bubble", shape, c)));
                CHECK(same_work(make_schedule("gan", shape), make_schedule("zero-bubble", shape)));
            }
}

TEST_CASE("a whole step keeps min(P-s, M) micro-batches of D under 1F1B, and of G when redrawn") {
    for (const int p : {1, 2, 4})
        for (const int m : {2, 4, 8})
            for (int bits = 0; bits < 8; ++bits) {
                const ScheduleShape shape{.graph = gan::graph(),
                                          .coordinates = p,
                                          .micro_batches = m,
                                          .redraw = (bits & 1) != 0,
                                          .recompute = (bits & 2) != 0,
                                          .reversed = (bits & 4) != 0};
                INFO("P " << p << ", M " << m << ", bits " << bits);
                for (int c = 0; c < p; ++c) {
                    const int d = shape.reversed ? p - 1 - c : c;
                    const KeptPeak most = kept("1f1b", shape, c);
                    const bool once = shape.recompute;
                    CHECK(most.at(1) == (once ? 1 : std::min(p - d, m)));
                    CHECK(most.at(0) == (once ? 1 : shape.redraw ? std::min(p - c, m) : m));
                }
            }
}

TEST_CASE("idle shares of a GAN step, printed") {
    std::cout << "idle share of a GAN step, P 4, M 8, F = B = W = 1\n" << std::fixed;
    std::cout << "schedule        in order  reversed  redraw    both\n";
    for (const auto& name : schedule_names) {
        std::cout << std::left << std::setw(14) << name << std::right;
        for (int bits = 0; bits < 4; ++bits) {
            ScheduleShape shape = shape_of(name, 4, 8);
            shape.reversed = (bits & 1) != 0;
            shape.redraw = (bits & 2) != 0;
            const auto run = simulated(name, shape);
            std::cout << std::setw(8) << std::setprecision(1) << 100 * run.bubble() << " %";
            CHECK(run.bubble() <= (name == "naive" ? 0.75 : 0.26));
        }
        std::cout << '\n';
    }
}
