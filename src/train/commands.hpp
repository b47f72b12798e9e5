#pragma once
/// The commands behind `civitas`, each a collective over `world`.
#include "civitas/cli/program.hpp"

namespace civitas::train {

/// The command's own name and what follows it.
struct Arguments {
    int count;
    char** words;
};

[[nodiscard]] comm::Exit generate_command(const comm::Communicator& world, Arguments arguments);
[[nodiscard]] comm::Exit evaluate_command(const comm::Communicator& world, Arguments arguments);
[[nodiscard]] comm::Exit inspect_command(const comm::Communicator& world, Arguments arguments);
[[nodiscard]] comm::Exit plan_command(const comm::Communicator& world, Arguments arguments);

}  // namespace civitas::train
