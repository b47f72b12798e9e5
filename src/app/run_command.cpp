#include "civitas/app/run_command.hpp"

#include "command_files.hpp"
#include "commands.hpp"
#include "configuration.hpp"

#include "civitas/base/text.hpp"
#include "civitas/environment/machine.hpp"
#include "civitas/runs/job_start.hpp"
#include "civitas/runs/run_folder.hpp"
#include "civitas/train/train.hpp"

#include <ATen/core/grad_mode.h>
#include <array>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string_view>

namespace civitas::app {
namespace {

constexpr const char* overview =
    "civitas - learns to draw city plans\n\n"
    "  civitas train     train a GAN on a tile store, or go on with a run\n"
    "  civitas generate  draw plans from a trained generator\n"
    "  civitas evaluate  compare a generator's plans with real tiles\n"
    "  civitas export    write a trained net for PyTorch, as safetensors\n"
    "  civitas plan      a training step on paper: stages, schedule, memory, traffic\n"
    "  civitas inspect   say what a store, checkpoint or run holds, and whether it is whole\n\n"
    "`civitas COMMAND --help` lists a command's options. Under mpirun or srun all ranks work\n"
    "together, but for `plan` without --measure. civitas-preprocess makes tile stores from maps, "
    "civitas-vectorize maps from "
    "plans.\n";

void check_resume(const planner::RunOptions& run_options) {
    std::error_code unknown;
    const planner::Resume& how = run_options.resume;
    if (how.from != planner::Resume::From::file ||
        std::filesystem::is_regular_file(how.file, unknown))
        return;
    throw UsageError(text("--resume ", how.file, ": there is no such checkpoint"),
                     Hint{text("auto, never or a file of ls ",
                               runs::RunFolder{run_options.run}.checkpoints().string())});
}

/// What --resume asks of this start. A job that is started again has the words of its first start,
/// and a file that was gone on from then must not undo what was learnt since.
planner::Resume resume_of(const comm::Communicator& world, const planner::RunOptions& run_options,
                          Log& log) {
    const runs::RunFolder folder{run_options.run};
    const bool obeyed = world.is_root() && runs::was_resumed_before(folder, this_job_start(),
                                                                    to_string(run_options.resume));
    if (!world.any(obeyed)) return run_options.resume;
    log.info(text("--resume ", to_string(run_options.resume),
                  " was obeyed before this job was started again"));
    return {};
}

/// The trace is the one output that a run folder does not hold. A job that is started again with
/// the same words finds that of its first start: it goes on, and leaves it alone.
void settle_files(const comm::Communicator& world, planner::Configuration& c, Log& log) {
    std::error_code unknown;
    const bool again = world.broadcast(
        std::filesystem::exists(runs::RunFolder{c.run_options.run}.configuration(), unknown) &&
        std::filesystem::exists(c.run_options.trace, unknown) && !c.run_options.overwrite);
    c.run_options.resume = resume_of(world, c.run_options, log);
    comm::on_root(world, [&] { check_resume(c.run_options); });
    auto files = files_of_run(c);
    files.overwrite = files.overwrite || again;
    io::agree_on_outputs(world, files);
    if (!again) return;
    if (world.is_root())
        log.warn(text("--trace ", c.run_options.trace,
                      " exists already: this start is not traced. Hint: --overwrite replaces it."));
    c.run_options.trace.clear();
}

Exit train_command(const comm::Communicator& world, Arguments arguments, StopSignals& signals) {
    Log log(world.rank());
    auto configuration = cli::agreed_options(world, [&](const auto& read) {
        return parse_configuration(arguments.count, arguments.words, read);
    });
    settle_files(world, configuration, log);
    return train::train(world, configuration, signals, log);
}

struct Command {
    std::string_view name;
    Exit (*run)(const comm::Communicator&, Arguments);
};
constexpr std::array<Command, 4> simple_commands{{{"generate", generate_command},
                                                  {"evaluate", evaluate_command},
                                                  {"export", export_command},
                                                  {"inspect", inspect_command}}};

/// Those of other programs are words that people try here.
[[noreturn]] void refuse(const std::string& name) {
    const auto guess = nearest(name, {"train", "generate", "evaluate", "export", "plan", "inspect",
                                      "preprocess", "vectorize"});
    if (guess == "preprocess" || guess == "vectorize")
        throw UsageError(text("civitas ", name, " is a program of its own: civitas-", *guess),
                         Hint{text("civitas-", *guess, " --help")});
    throw UsageError(text("unknown command '", name, "'"),
                     Hint{guess ? text("did you mean ", *guess, "?") : "civitas --help"});
}

Exit run_named(const comm::Communicator& world, Arguments arguments,
               std::optional<StopSignals>& signals) {
    const std::string_view name = arguments.words[0];
    if (name == "train") return train_command(world, arguments, *signals);
    for (const Command& command : simple_commands)
        if (command.name == name) return command.run(world, arguments);
    comm::agree(world, [&] { refuse(std::string(name)); });
    return Exit::usage;
}

Exit dispatch(const comm::Communicator& world, int argc, char** argv,
              std::optional<StopSignals>& signals) {
    const at::NoGradGuard nothing_is_taped;
    const std::string name = argc > 1 ? argv[1] : "--help";
    if (name == "--help") {
        if (world.is_root()) std::cout << overview;
        return Exit::done;
    }
    return run_named(world, {argc - 1, argv + 1}, signals);
}

}  // namespace

int run_command(int argc, char** argv) try {
    environment::prepare_process();
    std::optional<StopSignals> signals;  // before MPI_Init: its threads inherit the mask
    if (argc > 1 && std::string_view(argv[1]) == "train") {
        signals.emplace();
    } else {
        let_stop_signals_end_us();
    }
    if (argc > 1 && std::string_view(argv[1]) == "plan") return run_plan(argc, argv);
    return cli::run_program(argc, argv, [&](const comm::Communicator& world) {
        return dispatch(world, argc, argv, signals);
    });
} catch (const std::exception& e) {
    std::cerr << "error: " << e.what() << '\n';
    return static_cast<int>(Exit::error);
}

}  // namespace civitas::app
