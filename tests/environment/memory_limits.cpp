#include "civitas/environment/memory_limits.hpp"

#include "support/temporary.hpp"

#include <sys/resource.h>
#include <catch2/catch.hpp>
#include <fstream>
#include <limits>
#include <vector>

using namespace civitas;
using namespace civitas::environment;
namespace fs = std::filesystem;

namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

void write(const fs::path& file, const std::string& words) {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << words << '\n';
}

}  // namespace

TEST_CASE("the least limit of a group and of those above it counts") {
    const test::TemporaryFolder folder("memory-limits");
    const ControlGroups groups{folder.path() / "fs", folder.path() / "membership"};
    CHECK(memory_of_groups(groups) == unlimited);

    SECTION("version 2") {
        write(groups.membership, "0::/slurm/job_7/step_0");
        write(groups.root / "slurm/job_7/step_0/memory.max", "max");
        CHECK(memory_of_groups(groups) == unlimited);
        write(groups.root / "slurm/job_7/memory.max", "3000000000");
        write(groups.root / "memory.max", "9000000000");
        CHECK(memory_of_groups(groups) == 3e9);
        write(groups.root / "memory.max", "2000000000");
        CHECK(memory_of_groups(groups) == 2e9);
    }
    SECTION("version 1, beside other controllers") {
        write(groups.membership, "5:cpu:/a\n4:pids,memory:/slurm/job_7\n0::/b");
        write(groups.root / "memory/slurm/memory.limit_in_bytes", "1000000000");
        write(groups.root / "memory/a/memory.limit_in_bytes", "5");
        CHECK(memory_of_groups(groups) == 1e9);
    }
    SECTION("a container that does not see its own group") {
        write(groups.membership, "0::/../../elsewhere");
        write(groups.root / "memory.max", "4000000000");
        CHECK(memory_of_groups(groups) == 4e9);
    }
}

TEST_CASE("a limit of the address space leaves what is not mapped yet, and what is held") {
    rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_AS, &before) == 0);
    if (before.rlim_cur != RLIM_INFINITY) return;
    CHECK(memory_of_process() == unlimited);
    std::vector<char> held(100'000'000, 'x');
    double pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    constexpr double page = 4096, more = 300e6;
    const rlimit low{static_cast<rlim_t>(pages * page + more), before.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_AS, &low) == 0);
    const double room = memory_of_process();
    REQUIRE(::setrlimit(RLIMIT_AS, &before) == 0);
    CHECK(room > more + 1e8 - 5e6);
    CHECK(room < more + 1e9);
}
