#include "plan.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/shell.hpp"
#include "civitas/planner/network.hpp"
#include "civitas/profiling/profile.hpp"

#include <algorithm>

namespace civitas::compare {
namespace {

/// `civitas train --run run --tiles tiles.h5 --steps 10`
std::string command_of(const Request& request) {
    const std::int64_t steps = request.configuration.run_options.steps;
    return text("civitas train --run run", request.words,
                steps > 0 ? text(" --steps ", steps) : "");
}

/// What plans are made by is estimated; kernels that are to be chosen by times are ours then.
OnPaper estimated(const Request& request, const PaperJob& job, const Strategy& s) {
    const planner::Configuration c = applied(s, request.configuration);
    const int nodes = job.nodes.of(first_ranks(s.ranks)).nodes();
    if (s.update == UpdateKind::async && nodes > 1)
        return {.why_not =
                    text("it needs ranks that share memory; these are on ", nodes, " nodes")};
    try {
        return on_paper(s, c, estimate_of(s, c, job));
    } catch (const UsageError& e) {
        return refused_by(e);
    }
}

/// Of all ranks together, whatever kind of updates a file says.
planner::Workload whole_step(const Request& request) {
    return planner::workload_of(request.configuration.problem,
                                request.configuration.hyperparameters);
}

}  // namespace

std::vector<Considered> considered_for(const Request& request, int ranks) {
    const planner::Workload workload = whole_step(request);
    auto placements = usual_placements(workload, std::max(2, ranks));
    if (!request.placements.empty()) placements = parse_placements(request.placements);
    return named(consider(ranks, placements), request.strategies);
}

std::vector<Outcome> outcomes_of(const Request& request,
                                 const std::vector<Considered>& considered) {
    const bool beside_file = !request.configuration.file.empty();
    std::vector<Outcome> outcomes;
    for (const auto& [strategy, why_not] : considered) {
        const std::string options = options_of(strategy, beside_file);
        outcomes.push_back({.strategy = strategy,
                            .why_not = why_not,
                            .options = options,
                            .command = text("mpirun -n ", strategy.ranks, " --bind-to none ",
                                            command_of(request), options)});
    }
    return outcomes;
}

void refuse_what_does_not_fit(const Request& request, const PaperJob& job,
                              std::vector<Outcome>& outcomes) {
    for (Outcome& outcome : outcomes) {
        if (!outcome.why_not.empty()) continue;
        OnPaper paper = estimated(request, job, outcome.strategy);
        outcome.why_not = std::move(paper.why_not);
        outcome.hint = std::move(paper.hint);
    }
}

std::optional<Predicted> predicted_by_estimate(const Request& request, const PaperJob& job,
                                               const Strategy& strategy) {
    return estimated(request, job, strategy).predicted;
}

std::optional<Predicted> predicted_by_profile(const Request& request, const PaperJob& job,
                                              const Strategy& strategy, const std::string& kept) {
    planner::Configuration c = applied(strategy, request.configuration);
    const planner::CostModel estimate = estimate_of(strategy, c, job);
    const auto profile = profiling::parse_profile(kept);
    if (!profile || !profiling::times_layers_of(*profile, estimate.workload())) return {};
    if (estimate.workload().kernels.automatic)
        c = profiling::with_choice(
            c, profiling::choose_kernels(estimate.workload(), profile->timings));
    return on_paper(strategy, c, profiling::by_profile(estimate, *profile, c)).predicted;
}

Subject subject_of(const Request& request, const PaperJob& job) {
    const planner::Workload workload = whole_step(request);
    const bool trains = request.ranks == 0;
    const std::string file =
        request.machine_file.empty() ? "a workstation of 8 cores" : request.machine_file;
    return {.workload = workload.name,
            .precision = std::string(to_string(workload.precision)),
            .batch = workload.batch,
            .micro_batch = workload.micro_batch,
            .ranks = job.nodes.ranks(),
            .nodes = job.nodes.nodes(),
            .cores = job.machine.cores,
            .gpus = trains ? 0 : job.machine.gpus,
            .command = command_of(request),
            .predicted_by = request.machine || !trains ? text("estimates for ", file)
                                                       : "the times of layers that it measured",
            .steps = trains ? request.configuration.run_options.steps : 0,
            .warm_up = trains ? warm_up_of(request.configuration.run_options.steps) : 0,
            .rounds = trains ? request.rounds : 0};
}

Comparison predict(const Request& request) {
    const planner::MachineModel machine = request.machine.value_or(planner::MachineModel{});
    const PaperJob job{machine, planner::nodes_of(machine, request.ranks)};
    Comparison comparison{subject_of(request, job),
                          outcomes_of(request, considered_for(request, request.ranks))};
    for (Outcome& outcome : comparison.outcomes) {
        if (!outcome.why_not.empty()) continue;
        OnPaper paper = estimated(request, job, outcome.strategy);
        outcome.predicted = std::move(paper.predicted);
        outcome.why_not = std::move(paper.why_not);
        outcome.hint = std::move(paper.hint);
    }
    return comparison;
}

}  // namespace civitas::compare
