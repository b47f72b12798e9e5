#pragma once
/// The commands behind `civitas`, each a collective over `world`.
#include "civitas/cli/program.hpp"

namespace civitas::app {

/// The command's own name and what follows it.
struct Arguments {
    int count;
    char** words;
};

[[nodiscard]] Exit generate_command(const comm::Communicator& world, Arguments arguments);
[[nodiscard]] Exit evaluate_command(const comm::Communicator& world, Arguments arguments);
[[nodiscard]] Exit inspect_command(const comm::Communicator& world, Arguments arguments);
[[nodiscard]] Exit plan_command(const comm::Communicator& world, Arguments arguments);

}  // namespace civitas::app
