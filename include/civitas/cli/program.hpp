#pragma once
/// A program of many ranks that all mean the same: its command line is compared before it is read,
/// and files that it names are read by the root for all. Or a program of one process, without MPI.
#include "civitas/base/version.hpp"
#include "civitas/cli/options.hpp"
#include "civitas/comm/same.hpp"
#include "civitas/comm/session.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace civitas::cli {

/// Runs comm::run_session of `body`, which gets all ranks of the job, once their programs, versions
/// and command lines are known to be the same: otherwise the option that differs is named. A
/// request for help is printed by the root; so is `--version`, with what `components` tells.
[[nodiscard]] int run_program(int argc, char** argv,
                              const std::function<Exit(const comm::Communicator&)>& body,
                              const std::function<std::vector<Component>()>& components = {});

/// Whether `--version` is all that is asked, also of a command: `civitas train --version`.
[[nodiscard]] bool asks_version(int argc, const char* const* argv);

/// Runs a program of one process, without MPI, and returns `body`'s exit code, or that of its
/// error. Of several processes under a launcher the first one alone prints errors and help.
[[nodiscard]] int run_without_mpi(int argc, char** argv, const std::function<Exit()>& body);

/// A command line as it is compared: the program, and a line for each option with its value.
[[nodiscard]] std::string lines_of(int argc, const char* const* argv);

/// A ReadFile that has the root read_file() for all ranks. Collective.
[[nodiscard]] ReadFile reading_together(const comm::Communicator& world);

/// Calls parse(ReadFile) on all ranks of run_program(): errors are agreed on, a request for help is
/// passed on. Collective.
template <class Parse>
auto agreed_options(const comm::Communicator& world, Parse&& parse) {
    using Result = std::invoke_result_t<Parse, const ReadFile&>;
    const ReadFile read = reading_together(world);
    std::optional<HelpRequested> help;
    auto result = comm::agree(world, [&]() -> std::optional<Result> {
        try {
            return parse(read);
        } catch (const HelpRequested& asked) {
            help = asked;
            return std::nullopt;
        }
    });
    if (help) throw HelpRequested(*help);
    return std::move(*result);
}

}  // namespace civitas::cli
