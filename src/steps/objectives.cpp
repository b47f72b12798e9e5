#include "civitas/steps/objectives.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"
#include "civitas/data/labels.hpp"
#include "civitas/data/order.hpp"
#include "civitas/planner/bounds.hpp"
#include "civitas/runs/conditions.hpp"
#include "civitas/tasks/classifier_objective.hpp"
#include "civitas/tasks/gan_objective.hpp"

namespace civitas::steps {
namespace {

constexpr std::int64_t most_pixels_unasked = 64;

tasks::ClassOfSample classes_of(const planner::Problem& problem, const data::TileStore& store) {
    return [labels = data::labels_of(store, problem.labels), rows = store.rows(data::Split::train),
            seed = Seed{problem.seed}](Sample sample) {
        const TileIndex tile = data::training_tile(rows, seed, sample);
        return std::int64_t{labels.of_tile.at(static_cast<std::size_t>(tile))};
    };
}

/// Plans are asked to be like the tiles of their samples; of nothing where no condition is set.
tasks::Asked asked_of(const planner::Configuration& c, const data::TileStore& store) {
    const ConditionKind kind = c.problem.condition();
    if (kind == ConditionKind::none) return {};
    const conditions::Conditions conditions = runs::conditions_of(kind, store);
    return {[conditions, wishes = runs::wishes_of_tiles(kind, store),
             rows = store.rows(data::Split::train), seed = Seed{c.problem.seed}](Sample sample) {
                const TileIndex tile = data::training_tile(rows, seed, sample);
                return conditions.numbers(wishes.at(static_cast<std::size_t>(tile)));
            },
            conditions.scale(),
            kind == ConditionKind::cover ? c.hyperparameters.condition_weight : 0};
}

std::int64_t pixels_of(const data::TileStore& store) {
    std::int64_t pixels = store.header().pixels;
    while (pixels > most_pixels_unasked && pixels % 2 == 0) pixels /= 2;
    return pixels;
}

/// As many sources as the store has.
void fit_sources(planner::Problem& problem, const data::TileStore& store) {
    const std::int64_t sources = runs::conditions_of(problem.condition(), store).size();
    planner::NetChoice choice = problem.nets.choice();
    if (choice.classes > 0 && choice.classes != sources)
        throw UsageError(
            text("--classes ", choice.classes, ": ", store.file(), " has ", sources, " sources"),
            Hint{"leave it out: the data say it"});
    choice.classes = sources;
    problem.nets = planner::checked_nets(std::move(choice));
    planner::check_step(problem);
}

}  // namespace

std::shared_ptr<const tasks::Objective> objective_of(const planner::Configuration& c,
                                                     const data::TileStore& store,
                                                     at::Device device) {
    if (c.problem.task() == TaskKind::gan)
        return std::make_shared<tasks::GanObjective>(c.problem, c.hyperparameters, device,
                                                     asked_of(c, store));
    return std::make_shared<tasks::ClassifierObjective>(c.problem, c.hyperparameters,
                                                        classes_of(c.problem, store), device);
}

bool is_fitted_to_store(const planner::Problem& problem) {
    return problem.task() == TaskKind::classify || problem.condition() == ConditionKind::source;
}

void fit_to_store(planner::Problem& problem, const data::TileStore& store) {
    if (problem.task() == TaskKind::gan) return fit_sources(problem, store);
    const auto classes = std::ssize(data::labels_of(store, problem.labels).names);
    planner::NetChoice choice = problem.nets.choice();
    if (choice.classes > 0 && choice.classes != classes)
        throw UsageError(text("--classes ", choice.classes, ": ", store.file(), " has ", classes,
                              " classes by --labels ", to_string(problem.labels)),
                         Hint{"leave it out: the data say it"});
    choice.classes = classes;
    if (choice.pixels == 0) choice.pixels = pixels_of(store);
    if (store.header().content == data::Content::rgb) choice.coding = Coding::rgb;
    problem.nets = planner::checked_nets(std::move(choice));
    planner::check_step(problem);
}

}  // namespace civitas::steps
