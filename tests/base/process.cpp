#include "civitas/base/process.hpp"

#include <sys/wait.h>
#include <unistd.h>
#include <array>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <optional>
#include <string>

using namespace civitas;

namespace {

/// What launchers say is forgotten as long as this lives.
class Unlaunched {
public:
    Unlaunched() {
        for (std::size_t i = 0; i < names.size(); ++i) {
            if (const char* value = std::getenv(names[i])) values_[i] = value;
            unsetenv(names[i]);
        }
    }
    Unlaunched(const Unlaunched&) = delete;
    Unlaunched& operator=(const Unlaunched&) = delete;
    ~Unlaunched() {
        for (std::size_t i = 0; i < names.size(); ++i) {
            unsetenv(names[i]);
            if (values_[i]) setenv(names[i], values_[i]->c_str(), 1);
        }
    }
    static constexpr std::array names{"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
                                      "SLURM_PROCID"};

private:
    std::array<std::optional<std::string>, names.size()> values_;
};

}  // namespace

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

TEST_CASE("every launcher's number is known without MPI, and nobody's is that of the first") {
    const Unlaunched unlaunched;
    CHECK_FALSE(rank_by_launcher());
    CHECK(is_first_of_job());
    for (const char* name : Unlaunched::names) {
        setenv(name, "12", 1);
        CHECK(rank_by_launcher() == 12);
        CHECK_FALSE(is_first_of_job());
        setenv(name, "0", 1);
        CHECK(is_first_of_job());
        unsetenv(name);
    }
}
