// Catch2 under mpiexec: every rank runs every test; rank 0 reports, the others only speak up when
// something failed on them.
#include "support/catch_runner.hpp"

#include "civitas/base/exit.hpp"
#include "civitas/comm/communicator.hpp"
#include "civitas/comm/session.hpp"

#include <unistd.h>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>

namespace {

int run_on_rank(int argc, char** argv, int rank) {
    if (rank == 0) return run_catch2(argc, argv);
    const auto name = "civitas-rank" + std::to_string(rank) + "." + std::to_string(getpid());
    const std::string report = (std::filesystem::temp_directory_path() / name).string();
    const int failures = run_catch2(argc, argv, report);
    if (failures != 0) std::cerr << "--- rank " << rank << "\n" << std::ifstream(report).rdbuf();
    std::remove(report.c_str());
    return failures;
}

int run_on_all_ranks(int argc, char** argv) {
    const civitas::comm::Session session(argc, argv);
    const auto world = civitas::comm::Communicator::world();
    return static_cast<int>(world.max(std::int64_t{run_on_rank(argc, argv, index(world.rank()))}));
}

}  // namespace

int main(int argc, char** argv) { civitas::end_process(run_on_all_ranks(argc, argv)); }
