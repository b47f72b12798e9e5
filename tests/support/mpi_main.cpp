// Catch2 under mpiexec: every rank runs every test; rank 0 reports, the others only speak up when
// something failed on them.
#define CATCH_CONFIG_RUNNER
#include "civitas/comm/communicator.hpp"
#include "civitas/comm/session.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>

namespace {

int run_on_rank(Catch::Session& catch2, int rank) {
    if (rank == 0) return catch2.run();
    const auto name = "civitas-rank" + std::to_string(rank) + "." + std::to_string(getpid());
    const std::string report = (std::filesystem::temp_directory_path() / name).string();
    catch2.configData().outputFilename = report;
    const int failures = catch2.run();
    if (failures != 0) std::cerr << "--- rank " << rank << "\n" << std::ifstream(report).rdbuf();
    std::remove(report.c_str());
    return failures;
}

}  // namespace

int main(int argc, char** argv) {
    const civitas::comm::Session session(argc, argv);
    const auto world = civitas::comm::Communicator::world();
    Catch::Session catch2;
    if (const int bad = catch2.applyCommandLine(argc, argv)) return bad;
    return static_cast<int>(world.max(std::int64_t{run_on_rank(catch2, index(world.rank()))}));
}
