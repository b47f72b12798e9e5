#include "command_files.hpp"
#include "commands.hpp"
#include "kernel_text.hpp"
#include "machine_file.hpp"
#include "plan_options.hpp"
#include "plan_text.hpp"
#include "ranking_text.hpp"

#include "civitas/base/printable.hpp"
#include "civitas/base/process.hpp"
#include "civitas/cli/progress.hpp"
#include "civitas/environment/machine.hpp"
#include "civitas/io/files.hpp"
#include "civitas/planner/bounds.hpp"
#include "civitas/planner/network.hpp"
#include "civitas/profiling/profile.hpp"
#include "civitas/profiling/resources_here.hpp"
#include "civitas/steps/gantt.hpp"
#include "civitas/strategy/candidates.hpp"
#include "civitas/strategy/fitting.hpp"
#include "civitas/strategy/served.hpp"
#include "civitas/strategy/way_out.hpp"
#include "civitas/tasks/net_input.hpp"
#include "civitas/train/idle_options.hpp"

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <algorithm>
#include <cctype>
#include <iostream>
#include <string_view>

namespace civitas::app {
namespace {

constexpr std::size_t columns = 100;

/// Whether the command line asks for times of layers. Known before it is parsed: that takes MPI,
/// which the root reads files for all ranks by, and estimates take none.
bool is_to_measure(int argc, const char* const* argv) {
    static constexpr std::string_view option = "--measure=";
    return std::any_of(argv, argv + argc, [](std::string_view word) {
        return word == "--measure" ||
               (word.starts_with(option) && cli::is_yes(word.substr(option.size())));
    });
}

/// Layers are timed with the threads that one of the replicas would have. Returns their number.
int share_cores(int replicas) {
    const int threads = std::max(1, environment::usable_cores() / replicas);
    at::set_num_threads(threads);
    return threads;
}

/// Collective; `ranks_of_node` of those that are planned.
profiling::Timed measured(const comm::Communicator& world, const PlanOptions& o,
                          int ranks_of_node) {
    const int here = world.split_by_machine().size();
    const planner::Configuration& c = o.configuration;
    const int threads = share_cores(std::max(ranks_of_node, here) * c.layout_options.replicas);
    const planner::Workload workload = planner::workload_of(c.problem, c.hyperparameters);
    profiling::Timed timed = profiling::timed_at_once(
        world, {workload, tasks::input_work(c.problem, c.hyperparameters)}, at::kCPU);
    timed.memory_rate *= here;
    if (world.is_root()) std::cout << profiling::timing_line(here, threads, ranks_of_node);
    return timed;
}

/// Throws UsageError for what cannot be planned.
planner::Workload workload_of(const PlanOptions& o) {
    const planner::Configuration& c = o.configuration;
    planner::Workload workload = planner::workload_of(c);
    if (!o.all_meshes()) planner::check_batch(workload, o.mesh());
    return workload;
}

planner::MachineModel machine_of(const PlanOptions& o) {
    return o.here() ? profiling::resources_of_node() : read_resources(o.machine);
}

/// What is planned with, and the table of kernels; empty for those of ATen alone, or unasked.
struct Planned {
    planner::CostModel model;
    std::string kernels = {};
};

std::string kernels_of(const PlanOptions& o, const planner::Workload& workload) {
    const net::KernelChoice& choice = workload.kernels.choice;
    return o.tell_kernels && choice.is_fast() ? kernel_table(workload, choice) : "";
}

/// By the times of layers here; what cannot be planned is refused before any is timed. The root's
/// is whole. Collective.
Planned measured_model(const comm::Communicator& world, const PlanOptions& o) {
    planner::Workload workload;
    planner::MachineModel machine;
    const int ranks_of_node = world.broadcast(comm::agree(world, [&] {
        if (!world.is_root()) return 0;
        workload = workload_of(o);
        machine = machine_of(o);
        return machine.ranks_of_node(o.planned_ranks());
    }));
    const auto [timings, memory_rate] = measured(world, o, ranks_of_node);
    if (o.here()) machine.memory_bandwidth = std::max(1.0, memory_rate);
    const NodeMap nodes = planner::nodes_of(machine, o.planned_ranks());
    if (!workload.kernels.automatic)
        return {{workload, machine, nodes, timings.as_described}, kernels_of(o, workload)};
    const auto choice = profiling::choose_kernels(workload, timings);
    auto chosen =
        profiling::with_choice(workload, timings, profiling::with_choice(o.configuration, choice));
    return {{std::move(chosen.workload), machine, nodes, std::move(chosen.timings)},
            kernel_table(workload, choice, timings)};
}

/// By what a run has kept.
Planned profiled_model(const PlanOptions& o) {
    const planner::Workload workload = workload_of(o);
    const auto profile = profiling::parse_profile(io::read_text_file(o.profile));
    if (!profile || !profiling::times_layers_of(*profile, workload) ||
        !profiling::is_of_nets(*profile, o.configuration.problem))
        throw UsageError(
            text(o.profile, " has no times of ", workload.name, " by --kernels ",
                 workload.kernels.words(), profile ? ": its are of " + profile->of : ""),
            Hint{"the profile.json of a run with these nets, kernels, precision and micro-batch, "
                 "or --measure"});
    std::cout << "Layers timed for " << printable(profile->of) << ".\n\n";
    const planner::CostModel estimate(workload, machine_of(o), o.planned_ranks(),
                                      o.configuration.layout_options.replicas);
    const auto& timings = profile->timings;
    if (!workload.kernels.automatic)
        return {profiling::by_profile(estimate, *profile, o.configuration),
                kernels_of(o, workload)};
    const auto choice = profiling::choose_kernels(workload, timings);
    return {
        profiling::by_profile(estimate, *profile, profiling::with_choice(o.configuration, choice)),
        kernel_table(workload, choice, timings)};
}

Planned estimated_model(const PlanOptions& o) {
    if (!o.profile.empty()) return profiled_model(o);
    const planner::Workload workload = workload_of(o);
    if (workload.kernels.automatic)
        throw UsageError("--kernels auto is decided by times",
                         Hint{"--measure on the command line, --profile, or --kernels fast"});
    const int replicas = o.configuration.layout_options.replicas;
    return {{workload, machine_of(o), o.planned_ranks(), replicas}, kernels_of(o, workload)};
}

void draw(const PlanOptions& o, const planner::StepPlan& plan) {
    const auto gantt = steps::gantt_of(plan, o.configuration.problem);
    if (!o.brief) std::cout << '\n' << report::to_text(gantt, columns);
    if (o.draw.empty()) return;
    io::write_text_file(o.draw, report::to_svg(gantt), io::replace_if(o.overwrite));
    std::cout << "\ndrew " << o.draw << '\n';
}

/// A file's name becomes one word, which is all that a table's name can be.
std::string table_of(const planner::StepPlan& plan) {
    schedule::Schedule schedule = plan.layout.schedule;
    std::replace_if(
        schedule.name.begin(), schedule.name.end(),
        [](unsigned char c) { return std::isspace(c) != 0 || c == '#'; }, '_');
    return to_string(schedule);
}

void print(const PlanOptions& o, const planner::StepPlan& plan) {
    if (o.print == "-") {
        std::cout << '\n' << table_of(plan);
    } else if (!o.print.empty()) {
        io::write_text_file(o.print, table_of(plan), io::replace_if(o.overwrite));
        std::cout << "\nwrote " << o.print << '\n';
    }
}

void show_shards(const planner::CostModel& model, const planner::LayoutOptions& options,
                 const planner::StepPlan& plan) {
    const auto offers = strategy::shard_offers(model, options, plan);
    if (!offers.empty()) std::cout << '\n' << to_text(offers);
    const auto offloaded = strategy::offload_offers(model, options, plan);
    if (!offloaded.empty()) std::cout << '\n' << offload_text(offloaded, plan.seconds_of_step());
}

void show_one(const PlanOptions& o, const planner::CostModel& model) {
    const auto& options = o.configuration.layout_options;
    const strategy::Fitted fitted = strategy::fitted_plan(model, options, o.mesh());
    std::cout << to_text(fitted.plan, model);
    show_shards(model, fitted.options, fitted.plan);
    if (!fitted.told.empty()) std::cout << fitted.told << '\n';
    draw(o, fitted.plan);
    print(o, fitted.plan);
    if (fitted.lacks.empty()) return;
    throw UsageError(fitted.lacks, Hint{strategy::way_out(model, options).words});
}

void show_all(const PlanOptions& o, const planner::CostModel& model) {
    cli::Progress progress("meshes planned");
    const strategy::SearchConduct conduct{
        environment::usable_cores(),
        [&](std::size_t done, std::size_t all) { progress.tell(done, all); }};
    const strategy::Ranking ranking =
        strategy::rank_meshes(model, o.configuration.layout_options, o.shards, conduct);
    std::cout << to_text(ranking, model);
    if (ranking.candidates.empty())
        throw UsageError(text("no mesh of ", o.ranks, " ranks fits"),
                         Hint{way_out_of(ranking, model, o.configuration.layout_options)});
    const strategy::Candidate& best = ranking.candidates.front();
    show_shards(model, best.options, best.plan);
    std::cout << '\n' << command_of(best, o.configuration, model.machine()) << '\n';
    draw(o, best.plan);
    print(o, best.plan);
}

void show_served(const PlanOptions& o) {
    const auto plan = strategy::plan_served(o.configuration, read_resources(o.machine));
    std::cout << to_text(plan);
    if (!plan.lacks.empty())
        throw UsageError(plan.lacks, Hint{"--recompute, other --servers, fewer ranks a node"});
}

void show(const PlanOptions& o, const Planned& planned) {
    for (const std::string& sentence : train::idle_options(o.configuration))
        std::cerr << "warning: " << sentence << '\n';
    if (!planned.kernels.empty()) std::cout << planned.kernels << '\n';
    if (o.all_meshes())
        show_all(o, planned.model);
    else
        show_one(o, planned.model);
}

io::CommandFiles files_of(const PlanOptions& o) {
    io::CommandFiles files{{{"--config", o.config},
                            {"--profile", o.profile},
                            {"--schedule", schedule_file(o.configuration.layout_options)}},
                           {{"--draw", o.draw, {io::FileFormat::svg}},
                            {"--print", o.print == "-" ? "" : o.print, {io::FileFormat::text}}},
                           o.overwrite};
    files.may_read = {{"--machine", o.machine}};  // which says itself what it should be
    return files;
}

Exit plan_by_estimates(const PlanOptions& o) {
    io::require_writable(files_of(o));
    if (o.rank_times) {
        std::cout << strategy::to_text(*o.rank_times);
    } else if (o.configuration.update.kind == UpdateKind::server) {
        show_served(o);
    } else {
        show(o, estimated_model(o));
    }
    return Exit::done;
}

Exit plan_by_measuring(const comm::Communicator& world, const PlanOptions& o) {
    const at::NoGradGuard nothing_is_taped;
    comm::require_same(world, {"the configuration", Hint{"the same files for all ranks of a job"}},
                       o.configuration.resolved);
    io::agree_on_outputs(world, [&] { return files_of(o); });
    const Planned planned = measured_model(world, o);
    comm::on_root(world, [&] { show(o, planned); });
    return Exit::done;
}

}  // namespace

int run_plan(int argc, char** argv) {
    if (is_to_measure(argc, argv))
        return cli::run_program(argc, argv, [&](const comm::Communicator& world) {
            return plan_by_measuring(world, cli::agreed_options(world, [&](const auto& read) {
                                         return parse_plan(argc - 1, argv + 1, read);
                                     }));
        });
    if (!is_first_of_job()) return static_cast<int>(Exit::done);
    return cli::run_without_mpi(argc, argv, [&] {
        const PlanOptions options = parse_plan(argc - 1, argv + 1, cli::read_file);
        if (options.measure)
            throw UsageError(text("measure in ", options.config, " is read too late to start MPI"),
                             Hint{"--measure on the command line"});
        return plan_by_estimates(options);
    });
}

}  // namespace civitas::app
