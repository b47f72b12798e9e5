#include "command_files.hpp"
#include "commands.hpp"
#include "configuration.hpp"
#include "machine_file.hpp"
#include "plan_text.hpp"
#include "ranking_text.hpp"

#include "civitas/io/files.hpp"
#include "civitas/planner/bounds.hpp"
#include "civitas/planner/candidates.hpp"
#include "civitas/planner/fitting.hpp"
#include "civitas/planner/way_out.hpp"
#include "civitas/profiling/profile.hpp"
#include "civitas/profiling/resources_here.hpp"

#include <ATen/Parallel.h>
#include <algorithm>
#include <cctype>
#include <iostream>
#include <thread>

namespace civitas::app {
namespace {

constexpr std::size_t columns = 100;

struct PlanOptions {
    planner::Configuration configuration;
    std::string machine;
    std::string draw;
    std::string print;
    int ranks = 0;
    bool measure = false;
    bool brief = false;
    bool overwrite = false;
    std::string config;

    [[nodiscard]] bool all_meshes() const {
        return ranks > 0 && configuration.layout_options.mesh.empty();
    }
    /// Layers are timed on the machine that is planned for.
    [[nodiscard]] bool here() const { return measure && machine.empty(); }
};

void declare(cli::Options& options, planner::Problem& problem, OptionWords& words) {
    options.section("Nets and batches");
    add_nets(options, problem, words);
    options.add("precision", words.precision, "fp32, bf16 or fp64");
}

void declare(cli::Options& options, planner::LayoutOptions& layout_options, OptionWords& words) {
    options.section("Layout").add("mesh", layout_options.mesh,
                                  "ranks per axis: data=2,pipe=2,tensor=1 (empty: one rank)");
    add_stages(options, layout_options, words);
    options.add("redraw", layout_options.redraw, "drop G's activations and draw its tiles again")
        .add("recompute", layout_options.recompute, "keep only the inputs of stages");
}

/// A ranking tries these itself.
void refuse_choices(const cli::Options& options, int ranks) {
    for (const char* name :
         {"schedule", "stages", "discriminator-stages", "placement", "redraw", "recompute"})
        if (options.given(name))
            throw UsageError(text("--", name, " is what --ranks ", ranks, " chooses"),
                             Hint{"with --mesh it is yours"});
}

PlanOptions parse(Arguments arguments, const cli::ReadFile& read) {
    PlanOptions o;
    OptionWords words;
    cli::Options options("civitas plan",
                         "A training step on paper: stages, times, schedule, memory and traffic.");
    declare(options, o.configuration.problem, words);
    declare(options, o.configuration.layout_options, words);
    options.section("Machine and output")
        .add("machine", o.machine, "file that describes it (empty: a workstation of 8 cores)")
        .add("measure", o.measure,
             "time the layers here instead, under mpirun by all ranks at once as training does; "
             "without --machine that is this one")
        .add("ranks", o.ranks, "without --mesh: compare all meshes of this many ranks")
        .add("draw", o.draw, "SVG of the simulated step")
        .add("print", o.print, "the table of actions, which --schedule reads (-: to the terminal)")
        .add("overwrite", o.overwrite, "replace outputs that exist")
        .add("brief", o.brief, "without the schedule as text");
    options.parse(arguments.count, arguments.words, read);
    o.config = options.file();
    if (o.ranks < 0 || o.ranks > 1024)
        throw UsageError(text("--ranks ", o.ranks, ": expected 1 to 1024"));
    if (o.all_meshes()) refuse_choices(options, o.ranks);
    read_problem(o.configuration.problem, words);
    read_stages(o.configuration.layout_options, words, read);
    planner::check_chunks(o.configuration.problem, o.configuration.layout_options);
    return o;
}

MeshShape planned_mesh(const PlanOptions& o) {
    const std::string& words = o.configuration.layout_options.mesh;
    return o.ranks > 0 ? parse_mesh(words, o.ranks) : parse_mesh(words);
}

int planned_ranks(const PlanOptions& o) {
    return o.all_meshes() ? o.ranks : planned_mesh(o).size();
}

/// Layers are timed with the threads that one of the ranks would have. Returns their number.
int share_cores(int ranks) {
    const int cores = static_cast<int>(std::thread::hardware_concurrency());
    const int threads = std::max(1, cores / ranks);
    at::set_num_threads(threads);
    return threads;
}

/// One process has the machine's caches and memory to itself, the ranks of a step share them.
std::string timing_line(int processes, int threads, int ranks_of_node) {
    return text("Layers timed by ",
                processes == 1 ? "one process alone"
                               : text(processes, " processes at once, the slowest of each"),
                ", with ", threads, threads == 1 ? " thread" : " threads",
                processes == 1 ? "" : " each",
                processes == ranks_of_node
                    ? ""
                    : text("; ", ranks_of_node, " ranks at once take ",
                           processes < ranks_of_node ? "longer" : "less", ": mpirun -n ",
                           ranks_of_node, " --bind-to none times those"),
                ".\n\n");
}

/// Collective; `ranks_of_node` of those that are planned.
profiling::Timed measured(const comm::Communicator& world, const PlanOptions& o,
                          int ranks_of_node) {
    const int here = world.split_by_node().size();
    const int threads = share_cores(std::max(ranks_of_node, here));
    profiling::Timed timed = profiling::timed_at_once(world, o.configuration, at::kCPU);
    timed.memory_rate *= here;
    if (world.is_root()) std::cout << timing_line(here, threads, ranks_of_node);
    return timed;
}

/// What a plan is made from; the root's is whole. Throws AgreedError, before anything is measured,
/// for what cannot be planned. Collective.
planner::CostModel model_of(const comm::Communicator& world, const PlanOptions& o) {
    const planner::Configuration& c = o.configuration;
    planner::Workload workload = planner::workload_of(c.problem, c.hyperparameters);
    planner::MachineModel machine;
    planner::LayerTimings timings;
    const int ranks_of_node = world.broadcast(comm::agree(world, [&] {
        if (!world.is_root()) return 0;
        const int ranks = planned_ranks(o);
        machine = o.here() ? profiling::resources_of_node() : read_resources(o.machine);
        if (!o.all_meshes()) planner::check_batch(workload, planned_mesh(o));
        if (!o.measure) timings = planner::estimated_timings(workload, machine, ranks);
        return machine.ranks_of_node(ranks);
    }));
    if (o.measure) {
        profiling::Timed timed = measured(world, o, ranks_of_node);
        if (o.here()) machine.memory_bandwidth = std::max(1.0, timed.memory_rate);
        timings = std::move(timed.timings);
    }
    return {std::move(workload), machine, planned_ranks(o), std::move(timings)};
}

void draw(const PlanOptions& o, const planner::StepPlan& plan) {
    const auto gantt = gantt_of(plan, o.configuration.problem);
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

void show_one(const PlanOptions& o, const planner::CostModel& model) {
    const auto& options = o.configuration.layout_options;
    const planner::Fitted fitted = planner::fitted_plan(model, options, planned_mesh(o));
    std::cout << to_text(fitted.plan, model);
    if (!fitted.told.empty()) std::cout << fitted.told << '\n';
    draw(o, fitted.plan);
    print(o, fitted.plan);
    if (fitted.lacks.empty()) return;
    throw UsageError(fitted.lacks, Hint{planner::way_out(model, options).words});
}

void show_all(const PlanOptions& o, const planner::CostModel& model) {
    const planner::Ranking ranking = planner::rank_meshes(model, o.configuration.layout_options);
    std::cout << to_text(ranking, model);
    if (ranking.candidates.empty())
        throw UsageError(text("no mesh of ", o.ranks, " ranks fits"),
                         Hint{"more memory or nodes, another --batch, a smaller --micro-batch"});
    const planner::Candidate& best = ranking.candidates.front();
    std::cout << command_of(best, o.configuration.problem, model.machine()) << '\n';
    draw(o, best.plan);
    print(o, best.plan);
}

void show(const PlanOptions& o, const planner::CostModel& model) {
    if (o.all_meshes()) {
        show_all(o, model);
    } else {
        show_one(o, model);
    }
}

io::CommandFiles files_of(const PlanOptions& o) {
    return {{{"--config", o.config},
             {"--machine", o.machine},
             {"--schedule", schedule_file(o.configuration.layout_options)}},
            {{"--draw", o.draw}, {"--print", o.print == "-" ? "" : o.print}},
            o.overwrite};
}

}  // namespace

Exit plan_command(const comm::Communicator& world, Arguments arguments) {
    const auto options =
        cli::agreed_options(world, [&](const auto& read) { return parse(arguments, read); });
    io::agree_on_outputs(world, files_of(options));
    const planner::CostModel model = model_of(world, options);
    comm::agree(world, [&] {
        if (world.is_root()) show(options, model);
    });
    return Exit::done;
}

}  // namespace civitas::app
