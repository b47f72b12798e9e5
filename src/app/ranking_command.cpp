/// The command that trains as a candidate says.
#include "ranking_text.hpp"

#include "configuration.hpp"

#include "civitas/base/error.hpp"
#include "civitas/planner/recipe.hpp"

#include <sstream>

namespace civitas::app {
namespace {

/// `name = value` lines of what `plan` can be told of nets, batches and the optimizer.
std::string lines_of(planner::Problem problem, planner::Hyperparameters learning) {
    OptionWords words;
    words.nets = problem.nets.choice();
    words.task = to_string(problem.task());
    words.condition = to_string(problem.condition());
    if (learning.optimizer != optimizer_of(words)) words.optimizer = to_string(learning.optimizer);
    words.coding = to_string(problem.coding());
    words.precision = to_string(problem.precision);
    words.kernels = problem.kernels().words();
    if (problem.micro_batch == planner::usual_micro_batch(problem))
        problem.micro_batch = planner::micro_batch_unsaid;
    cli::Options options("", "");
    add_nets(options, problem, words);
    add_optimizer(options, learning, words);
    return options.resolved();
}

/// ` --net dcgan-256 --batch 64`: what differs from the default.
std::string options_of(const planner::Configuration& c) {
    std::istringstream lines(lines_of(c.problem, c.hyperparameters));
    planner::Problem untold;
    untold.nets = planner::Nets({.kernels = net::parse_kernels(OptionWords{}.kernels)});
    std::istringstream defaults(lines_of(untold, {}));
    std::string words;
    for (std::string line, usual; std::getline(lines, line) && std::getline(defaults, usual);)
        if (line != usual) words += " --" + line.erase(line.find(" ="), 2);
    return words;
}

}  // namespace

std::string command_of(const strategy::Candidate& candidate,
                       const planner::Configuration& configuration,
                       const planner::MachineModel& machine) {
    const MeshShape mesh = candidate.plan.layout.mesh;
    const bool copies = configuration.run_options.checkpoint_mode == planner::CheckpointMode::async;
    return text("mpirun -n ", mesh.size(), " --bind-to none civitas train --tiles tiles.h5",
                " --run run", strategy::command_options(candidate.options, mesh),
                options_of(configuration), copies ? " --checkpoint-mode async" : "",
                machine.gpus > 0 ? " --device cuda" : "");
}

}  // namespace civitas::app
