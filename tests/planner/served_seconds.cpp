#include "civitas/planner/served_seconds.hpp"

#include <catch2/catch.hpp>

using namespace civitas;
using namespace civitas::planner;

namespace {

struct Ranks {
    int all = 1;
    int servers = 0;  ///< that do not work
    int of_node = 1;
};

ServedModel job_of(Ranks ranks, std::int64_t parts, std::int64_t max_staleness = 0) {
    return {.roles = {ranks.all, ranks.servers},
            .parts = parts,
            .max_staleness = max_staleness,
            .nodes = NodeMap::filled(ranks.all, ranks.of_node)};
}

MachineModel machine() {
    MachineModel machine;
    machine.link_latency = 1;
    machine.link_bandwidth = 100;
    machine.network_latency = 2;
    machine.network_bandwidth = 10;
    return machine;
}

double seconds(Ranks ranks, std::int64_t parts, std::int64_t max_staleness = 0) {
    return exchange_seconds(job_of(ranks, parts, max_staleness), machine(), 1200);
}

}  // namespace

TEST_CASE("on one node an exchange takes the time of the rank that sends or takes most") {
    CHECK(seconds({4, 0, 4}, 4) == 3 + 9);   // to three others, a quarter each
    CHECK(seconds({4, 0, 4}, 2) == 3 + 9);   // as many from others
    CHECK(seconds({4, 1, 4}, 3) == 1 + 36);  // one server takes those of three workers
    CHECK(seconds({4, 1, 4}, 1) == 1 + 12);
    CHECK(seconds({4, 3, 4}, 4) == 3 + 12);
    CHECK(seconds({1, 0, 1}, 1) == 0);
    CHECK(seconds({4, 1, 4}, 1, 1) == 1 + 24);  // two of three workers, of two steps
}

TEST_CASE("between nodes an exchange takes the time of the node that sends or takes most") {
    CHECK(seconds({4, 0, 1}, 4) == Approx(3 * 2 + 3 * 300 / 10.0));
    CHECK(seconds({4, 0, 2}, 4) == Approx(3 * 2 + 2 * 2 * 300 / 10.0));
    CHECK(seconds({8, 1, 4}, 7) == Approx(2 + 4 * 1200 / 10.0));  // four workers elsewhere
    CHECK(seconds({8, 4, 4}, 4) == Approx(4 * 2 + 4 * 4 * 300 / 10.0));
}

TEST_CASE("workers get weights that are awaited for each part, others once a step") {
    CHECK(pulls_of_part(job_of({4, 0}, 4), true) == 1);
    CHECK(pulls_of_part(job_of({4, 0}, 4), false) == 0);
    CHECK(pulls_of_part(job_of({4, 0}, 4, 2), true) == 2);
    CHECK(pulls_of_part(job_of({4, 0}, 4, 2), false) == 1);
}

TEST_CASE("a step takes as long as the worker with most parts, and what passes once in it") {
    CHECK(step_seconds(job_of({3, 1}, 4), 10, 1) == 2 * 9 + 1);
    CHECK(step_seconds(job_of({3, 1}, 5), 10, 1) == 3 * 9 + 1);
    CHECK(step_seconds(job_of({4, 0}, 2), 10, 1) == 9 + 1);
}

TEST_CASE("with staleness workers wait for nobody, as far as steps may be ahead") {
    CHECK(step_seconds(job_of({3, 1}, 5, 2), 10, 1) == 5 * 9 / 2.0);
    CHECK(step_seconds(job_of({3, 1}, 1, 2), 10, 6) == 6);  // the server's own time
    CHECK(step_seconds(job_of({2, 0}, 5, 2), 10, 1) == 5 * 9 / 2.0 + 1);
    CHECK(step_seconds(job_of({8, 0}, 2, 1), 10, 1) == 2 * 9 / 4.0 + 1);  // four of eight
}
