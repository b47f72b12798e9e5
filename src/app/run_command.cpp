#include "civitas/app/run_command.hpp"

#include "commands.hpp"

#include "civitas/base/text.hpp"
#include "civitas/environment/machine.hpp"
#include "civitas/hdf5/hdf5.hpp"

#include <ATen/core/grad_mode.h>
#include <array>
#include <iostream>
#include <optional>
#include <string_view>
#include <vector>

namespace civitas::app {
namespace {

constexpr const char* overview =
    "civitas - learns to draw city plans\n\n"
    "  civitas train     train a GAN or a classifier on a tile store, or go on with a run\n"
    "  civitas compare   train by every strategy that fits these ranks, and say which is best\n"
    "  civitas generate  draw plans from a trained generator\n"
    "  civitas evaluate  compare a generator's plans with real tiles\n"
    "  civitas classify  tell the classes of tiles by a trained classifier\n"
    "  civitas export    write a trained net for PyTorch, as safetensors\n"
    "  civitas import    make a checkpoint of a classifier of PyTorch, from safetensors\n"
    "  civitas plan      a training step on paper: stages, schedule, memory, traffic\n"
    "  civitas report    one page of a run, or of several, to look at\n"
    "  civitas inspect   say what a store, checkpoint or run holds, and whether it is whole\n\n"
    "`civitas COMMAND --help` lists a command's options. Under mpirun or srun all ranks work\n"
    "together, but for `plan` without --measure. civitas-preprocess makes tile stores from maps,\n"
    "civitas-vectorize maps from plans.\n";

struct Command {
    std::string_view name;
    Exit (*run)(const comm::Communicator&, Arguments);
};
constexpr std::array<Command, 7> simple_commands{{{"generate", generate_command},
                                                  {"evaluate", evaluate_command},
                                                  {"classify", classify_command},
                                                  {"export", export_command},
                                                  {"import", import_command},
                                                  {"report", report_command},
                                                  {"inspect", inspect_command}}};

/// Those of other programs are words that people try here.
[[noreturn]] void refuse(const std::string& name) {
    const auto guess =
        nearest(name, {"train", "compare", "generate", "evaluate", "classify", "export", "import",
                       "plan", "report", "inspect", "preprocess", "vectorize"});
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
    if (name == "compare") return compare_command(world, arguments, *signals);
    for (const Command& command : simple_commands)
        if (command.name == name) return command.run(world, arguments);
    comm::agree(world, [&] { refuse(std::string(name)); });
    return Exit::usage;
}

Exit dispatch(const comm::Communicator& world, int argc, char** argv,
              std::optional<StopSignals>& signals) {
    const at::NoGradGuard nothing_is_taped;
    const std::string name = argc > 1 ? argv[1] : "--help";
    if (name == "--help" || name == "-h") {
        if (world.is_root()) std::cout << overview;
        return Exit::done;
    }
    return run_named(world, {argc - 1, argv + 1}, signals);
}

/// Commands that end by a signal with what they have done so far.
bool takes_signals(std::string_view command) { return command == "train" || command == "compare"; }

/// Where nothing but words is made of a command, they have to arrive.
int after_telling(int code, std::string_view command) {
    if (code != 0 || takes_signals(command) || std::cout.flush()) return code;
    std::cerr << "error: what is told cannot be written. Hint: is the disk full?\n";
    return static_cast<int>(Exit::error);
}

std::vector<Component> components() {
    std::vector<Component> all = comm::components();
    all.push_back(hdf5::component());
    all.push_back({"GDAL", CIVITAS_GDAL});  // of the other programs
    for (const Component& component : environment::components()) all.push_back(component);
    return all;
}

}  // namespace

int run_command(int argc, char** argv) try {
    environment::prepare_process();
    std::optional<StopSignals> signals;  // before MPI_Init: its threads inherit the mask
    if (argc > 1 && takes_signals(argv[1]))
        signals.emplace();
    else
        let_stop_signals_end_us();
    const std::string_view command = argc > 1 ? argv[1] : "";
    if (command == "plan" && !cli::asks_version(argc, argv))
        return after_telling(run_plan(argc, argv), command);
    const auto body = [&](const comm::Communicator& world) {
        return dispatch(world, argc, argv, signals);
    };
    return after_telling(cli::run_program(argc, argv, body, components), command);
} catch (const std::exception& e) {
    std::cerr << "error: " << e.what() << '\n';
    return static_cast<int>(Exit::error);
}

}  // namespace civitas::app
