#include "civitas/base/process.hpp"

#include <sys/wait.h>
#include <unistd.h>
#include <catch2/catch.hpp>

using namespace civitas;

TEST_CASE("a process is told from another of the same number by its start") {
    const ProcessId me = this_process();
    CHECK(me.number == getpid());
    CHECK(!me.host.empty());
    REQUIRE(start_of_process(getpid()));
    CHECK(*start_of_process(getpid()) == me.start);
    CHECK(this_process() == me);
}

TEST_CASE("what has ended has no start, even before its parent has asked for it") {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) _exit(0);
    siginfo_t ended{};
    waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT);
    CHECK(!start_of_process(child));
    waitpid(child, nullptr, 0);
    CHECK(!start_of_process(child));
    CHECK(!start_of_process(-1));
}

TEST_CASE("seconds since the start grow from the start of the process, not from the first call") {
    const double first = seconds_since_process_start();
    CHECK(first > 0);
    CHECK(first < 3600);
    CHECK(seconds_since_process_start() >= first);
}
