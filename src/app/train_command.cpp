#include "command_files.hpp"
#include "commands.hpp"
#include "configuration.hpp"

#include "civitas/comm/agree.hpp"
#include "civitas/data/tile_cache.hpp"
#include "civitas/inference/evaluation.hpp"
#include "civitas/population/population.hpp"
#include "civitas/population/start.hpp"
#include "civitas/report/test_scores.hpp"
#include "civitas/runs/job_start.hpp"
#include "civitas/runs/progress.hpp"
#include "civitas/runs/run_folder.hpp"
#include "civitas/train/train.hpp"

#include <filesystem>

namespace civitas::app {
namespace {

/// The trace is the one output that a run folder does not hold. A job that is started again with
/// the same words finds that of its first start: it goes on, and leaves it alone.
void settle_files(const comm::Communicator& world, planner::Configuration& c, Log& log) {
    std::error_code unknown;
    const bool again = world.broadcast(
        std::filesystem::exists(runs::RunFolder{c.run_options.run}.configuration(), unknown) &&
        std::filesystem::exists(c.run_options.trace, unknown) && !c.run_options.overwrite);
    c.run_options.resume = runs::resume_of(world, c.run_options, log);
    io::agree_on_outputs(world, [&] {
        auto files = files_of_run(c);
        files.overwrite = files.overwrite || again;
        return files;
    });
    if (!again) return;
    if (world.is_root())
        log.warn(text("--trace ", c.run_options.trace,
                      " exists already: this start is not traced. Hint: --overwrite replaces it."));
    c.run_options.trace.clear();
}

planner::Configuration parsed(const comm::Communicator& world, Arguments arguments,
                              const std::vector<population::Setting>& settings = {}) {
    return cli::agreed_options(world, [&](const auto& read) {
        return parse_configuration(arguments.count, arguments.words, read, settings);
    });
}

/// Of the last test of a classifier.
population::Figures scored(const comm::Communicator& ranks, const population::Member& member) {
    population::Figures figures{};
    comm::on_root(ranks, [&] {
        const auto scores = report::last_scores(runs::RunFolder{member.run}.test_scores());
        if (!scores)
            throw Error(text(member.run, " has no test scores: there are no test tiles"),
                        Hint{"civitas-preprocess --test-share 0.1"});
        figures = {scores->loss, scores->first, scores->top_five};
    });
    return figures;
}

/// In the order of population::comparison_of().
population::Figures compared(const comm::Communicator& ranks, const population::Member& member,
                             const planner::Configuration& c, Log& log) {
    if (c.problem.task() == TaskKind::classify) return scored(ranks, member);
    const inference::Evaluation e =
        inference::evaluate(ranks, {member.run.string(), c.run_options.tiles}, log);
    return {e.plans.building, e.plans.road, e.plans.distance, e.real.distance, e.plans.difference};
}

/// Every member is read and checked by all ranks, before any begins.
Exit train_population(const comm::Communicator& world, Arguments arguments,
                      const planner::Configuration& asked, StopSignals& signals, Log& log) {
    const planner::RunOptions& o = asked.run_options;
    const auto members = comm::agree(world, [&] { return population::members_of(asked); });
    std::vector<planner::Configuration> configurations;
    for (const population::Member& member : members) {
        auto settings = member.settings;
        settings.push_back({"run", member.run.string()});
        configurations.push_back(parsed(world, arguments, settings));
        comm::agree(world, [&] { population::require_same(member, configurations.back()); });
        settle_files(world, configurations.back(), log);
    }
    const auto groups =
        comm::agree(world, [&] { return population::Groups(world.size(), o.population); });
    // Members differ in what they learn with alone.
    planner::LayoutOptions layout_options = configurations.front().layout_options;
    population::share_machine(world, groups, layout_options, log);
    std::optional<population::Joining> joining;
    if (population::when_failed(asked) == population::WhenFailed::join)
        joining = {asked.problem.micro_batches(), [&](const population::Groups& now) {
                       population::share_machine(world, now, layout_options, log);
                       for (auto& c : configurations) c.run_options.resume = {};
                   }};
    auto store = data::TileStore::open(world, o.tiles);
    const data::SharedTiles tiles(world, store, log);
    const population::Work work{
        [&](const auto& ranks, const auto& member, Log& told) {
            auto mine = configurations.at(static_cast<std::size_t>(member.number - 1));
            mine.layout_options = layout_options;
            return train::train(ranks, mine, signals, told, &store);
        },
        [&](const auto& ranks, const auto& member, Log& told) {
            return compared(ranks, member, asked, told);
        },
        [](const auto& member) { return runs::steps_made(runs::RunFolder{member.run}); },
        population::comparison_of(asked.problem.task())};
    const Exit exit = population::train(world, o.run, members, work, signals, joining);
    tiles.tell(world, members.size(), log);
    return exit;
}

}  // namespace

Exit train_command(const comm::Communicator& world, Arguments arguments, StopSignals& signals) {
    Log log(world.rank());
    auto configuration = parsed(world, arguments);
    if (configuration.run_options.population > 1)
        return train_population(world, arguments, configuration, signals, log);
    comm::agree(world, [&] { population::check_alone(configuration.run_options); });
    settle_files(world, configuration, log);
    return train::train(world, configuration, signals, log);
}

}  // namespace civitas::app
