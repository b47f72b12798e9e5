#pragma once
/// The program `civitas`: train, generate, evaluate, inspect.

namespace civitas::app {

/// Runs the command that argv[1] names and returns the process's exit code: 0 done, 1 error, 2
/// wrong usage, 75 stopped on request with a checkpoint saved. Starts and ends MPI.
[[nodiscard]] int run_command(int argc, char** argv);

}  // namespace civitas::app
