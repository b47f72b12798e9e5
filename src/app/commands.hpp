#pragma once
/// The commands behind `civitas`; those that get a `world` are collective over it.
#include "civitas/base/signals.hpp"
#include "civitas/cli/program.hpp"

namespace civitas::app {

/// The command's own name and what follows it.
struct Arguments {
    int count;
    char** words;
};

[[nodiscard]] Exit train_command(const comm::Communicator& world, Arguments arguments,
                                 StopSignals& signals);
[[nodiscard]] Exit compare_command(const comm::Communicator& world, Arguments arguments,
                                   StopSignals& signals);
[[nodiscard]] Exit generate_command(const comm::Communicator& world, Arguments arguments);
[[nodiscard]] Exit evaluate_command(const comm::Communicator& world, Arguments arguments);
[[nodiscard]] Exit export_command(const comm::Communicator& world, Arguments arguments);
[[nodiscard]] Exit classify_command(const comm::Communicator& world, Arguments arguments);
[[nodiscard]] Exit import_command(const comm::Communicator& world, Arguments arguments);
[[nodiscard]] Exit report_command(const comm::Communicator& world, Arguments arguments);
[[nodiscard]] Exit inspect_command(const comm::Communicator& world, Arguments arguments);

/// The whole of `civitas plan`, from its words to the process's exit code: MPI is started to time
/// layers, and only then. Under a launcher the first process alone plans by estimates.
[[nodiscard]] int run_plan(int argc, char** argv);

}  // namespace civitas::app
