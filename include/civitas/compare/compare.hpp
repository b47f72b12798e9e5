#pragma once
/// `civitas compare`: every strategy that fits the ranks of a job, by trainings that take turns.
#include "civitas/base/exit.hpp"
#include "civitas/base/signals.hpp"
#include "civitas/comm/communicator.hpp"
#include "civitas/compare/results.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace civitas::compare {

/// What is asked for.
struct Request {
    planner::Configuration configuration;  ///< of problem, learning and device; steps of a training
    std::string strategies = {};           ///< names, apart by commas; empty: all
    std::string placements = {};           ///< as parse_placements() reads them; empty: usual ones
    int rounds = 3;
    std::string output = "comparison";  ///< files are called so, one .json, one .html
    bool overwrite = false;
    std::optional<planner::MachineModel> machine = {};  ///< to predict for
    std::string machine_file = {};                      ///< that it was read from
    int ranks = 0;           ///< to predict for, without training; 0: the job's, trained
    std::string words = {};  ///< the options of `civitas train` that describe the configuration
};

/// Files by the name of the output.
[[nodiscard]] std::filesystem::path json_file(const Request& request);
[[nodiscard]] std::filesystem::path page_file(const Request& request);

/// Compares on paper, for a machine: nothing is trained. Throws UsageError for strategies and
/// placements that cannot be read.
[[nodiscard]] Comparison predict(const Request& request);

/// Trains in rounds, in which every strategy has its turn, in a folder beside the output that is
/// gone afterwards. A strategy that fails is told with its reason; the others go on. Nothing where
/// a signal has asked to stop. Collective; the root's result is whole.
[[nodiscard]] std::optional<Comparison> measure(const comm::Communicator& world,
                                                const Request& request, StopSignals& signals);

/// The whole command: compares, prints the table, and writes both files. Collective; throws
/// AgreedError, for files that are there before anything is trained, and where no strategy could be
/// compared, after their reasons are printed: then nothing is written.
[[nodiscard]] Exit run(const comm::Communicator& world, const Request& request,
                       StopSignals& signals);

}  // namespace civitas::compare
