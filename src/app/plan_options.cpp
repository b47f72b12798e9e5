#include "plan_options.hpp"

#include "configuration.hpp"

#include "civitas/base/error.hpp"
#include "civitas/planner/bounds.hpp"
#include "civitas/planner/recipe.hpp"

namespace civitas::app {
namespace {

void declare_planned(cli::Options& options, planner::Problem& problem, OptionWords& words) {
    options.section("Nets and batches");
    add_nets(options, problem, words);
}

void declare_planned(cli::Options& options, planner::LayoutOptions& layout_options,
                     OptionWords& words) {
    options.section("Layout").add("mesh", words.mesh,
                                  "ranks per axis: data=2,pipe=2,tensor=1 (empty: one rank)");
    add_stages(options, words);
    options.add("redraw", layout_options.redraw, "drop G's activations and draw its tiles again")
        .add("recompute", layout_options.recompute, "keep only the inputs of stages");
}

void declare(cli::Options& options, strategy::RankWords& words) {
    options.section("Ranks that do not wait for each other")
        .add("update", words.update,
             "async: plan these by the times of their steps; server: with weights on servers")
        .add("servers", words.servers, "ranks that keep weights and do not work (0: all do both)")
        .add("rank-seconds", words.seconds,
             "of a step of each rank alone: 0.3,0.3,0.6 (fewer than --ranks: in turn)")
        .add("update-seconds", words.update_seconds, "of the update of shared weights in a step")
        .add("max-staleness", words.max_staleness,
             "most steps others end while a rank makes one, or any (auto: any; of servers 0)")
        .add("jitter", words.jitter, "steps take up to this share of their time more or less");
}

/// A ranking tries these itself.
void refuse_choices(const cli::Options& options, int ranks) {
    for (const char* name :
         {"schedule", "stages", "discriminator-stages", "placement", "redraw", "recompute"})
        if (options.given(name))
            throw UsageError(text("--", name, " is what --ranks ", ranks, " chooses"),
                             Hint{"with --mesh it is yours"});
}

/// These are of a step that ranks make together.
void refuse_beside(const cli::Options& options, UpdateKind kind) {
    const auto [names, why] = strategy::not_planned_by(kind);
    for (const std::string& name : names)
        if (options.changed(name))
            throw UsageError(text("--", name, " and --update ", to_string(kind), " are both given"),
                             Hint{why});
}

}  // namespace

PlanOptions parse_plan(int argc, const char* const* argv, const cli::ReadFile& read) {
    PlanOptions o;
    o.configuration.problem.micro_batch = planner::micro_batch_unsaid;
    OptionWords words;
    strategy::RankWords rank_words;
    cli::Options options("civitas plan",
                         "A training step on paper: stages, times, schedule, memory and traffic.");
    declare_planned(options, o.configuration.problem, words);
    add_optimizer(options, o.configuration.hyperparameters, words);
    declare_planned(options, o.configuration.layout_options, words);
    add_checkpoint_mode(options, words);
    options.section("Machine and output")
        .add("machine", o.machine, "file that describes it (empty: a workstation of 8 cores)")
        .add("measure", o.measure,
             "time the layers here instead, under mpirun by all ranks at once as training does; "
             "without --machine that is this one")
        .add("profile", o.profile, "times that a run has kept: its profile.json")
        .add("ranks", o.ranks, "without --mesh: compare all meshes of this many ranks")
        .add("draw", o.draw, "SVG of the simulated step")
        .add("print", o.print, "the table of actions, which --schedule reads (-: to the terminal)")
        .add("overwrite", o.overwrite, "replace outputs that exist")
        .add("brief", o.brief, "without the schedule as text");
    declare(options, rank_words);
    options.parse(argc, argv, read);
    o.config = options.file();
    o.tell_kernels = options.given("kernels");
    if (options.given("shard")) o.shards = strategy::ShardSearch::as_asked;
    o.configuration.resolved = options.resolved();
    if (o.measure && !o.profile.empty())
        throw UsageError("--profile and --measure are both given", Hint{"give one of them"});
    if (o.ranks < 0 || o.ranks > 1024)
        throw UsageError(text("--ranks ", o.ranks, ": expected 1 to 1024"));
    o.rank_times = strategy::read_times(rank_words, o.ranks);
    o.configuration.update = strategy::read_updates(rank_words, o.ranks);
    const UpdateKind kind = o.configuration.update.kind;
    refuse_beside(options, kind);
    if (o.all_meshes() && kind == UpdateKind::sync) refuse_choices(options, o.ranks);
    planner::check_learning(o.configuration.hyperparameters);
    o.configuration.hyperparameters.optimizer = optimizer_of(words);
    read_problem(o.configuration.problem, words);
    read_stages(o.configuration.layout_options, words, read);
    o.configuration.run_options.checkpoint_mode =
        planner::parse_checkpoint_mode(words.checkpoint_mode);
    planner::check_chunks(o.configuration.problem, o.configuration.layout_options);
    planner::check_sharing(o.configuration.problem, o.configuration.layout_options);
    return o;
}

MeshShape PlanOptions::mesh() const {
    const MeshRequest& asked = configuration.layout_options.mesh;
    return ranks > 0 ? asked.of_ranks(ranks, {"--ranks says ", "--ranks "}) : asked.of_itself();
}

}  // namespace civitas::app
