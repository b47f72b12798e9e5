#pragma once
/// The commands behind `civitas`, each a collective over `world`.
#include "civitas/cli/options.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/comm/session.hpp"

#include <optional>

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

/// parse() on all ranks: errors are agreed on, a request for help is passed on (all ranks have the
/// same command line).
template <class Parse>
auto agreed_options(const comm::Communicator& world, Parse&& parse) {
    std::optional<cli::HelpRequested> help;
    auto result = comm::agree(world, [&]() -> std::optional<std::invoke_result_t<Parse>> {
        try {
            return parse();
        } catch (const cli::HelpRequested& asked) {
            help = asked;
            return std::nullopt;
        }
    });
    if (help) throw *help;
    return std::move(*result);
}

}  // namespace civitas::train
