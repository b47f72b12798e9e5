#pragma once
/// What a checkpoint says of the run that wrote it, and what of that may differ on resume.
#include "civitas/checkpoint/checkpoint.hpp"
#include "civitas/data/tile_store.hpp"
#include "civitas/planner/options.hpp"
#include "civitas/tasks/samples_seen.hpp"

#include <map>
#include <string>
#include <vector>

namespace civitas::runs {

/// The facts that a run must go on with, as stored: net, batch, seed ..., and the tile store's
/// hash.
[[nodiscard]] std::map<std::string, std::string> facts_of(
    const planner::Problem& problem, const planner::Hyperparameters& hyperparameters,
    const data::TileStore& store);
/// What may differ when a run goes on, and is only told: hyperparameters, mesh, threads,
/// instruction set.
[[nodiscard]] std::map<std::string, std::string> notes_of(
    const planner::Configuration& configuration, MeshShape mesh, int threads,
    const std::string& instruction_set);
/// The text of the choice of kernels that made a checkpoint.
[[nodiscard]] std::string kernels_of(const std::map<std::string, std::string>& facts);
/// The fact of the optimizer, as far as it decides which arrays there are: `adam`, `sgd`, `sgd
/// without momentum`.
[[nodiscard]] std::string optimizer_words(const planner::Hyperparameters& hyperparameters);
/// Whether moments of one optimizer are those of the other. Throws UsageError where these would
/// begin, in the middle of a run, and are Adam's, whose bias correction counts from the first step.
[[nodiscard]] bool keeps_moments(const std::map<std::string, std::string>& stored,
                                 const std::map<std::string, std::string>& now);
[[nodiscard]] bool keeps_mean(const std::map<std::string, std::string>& facts);
/// Adds the fact of how far the order of samples has been followed, in which runs may differ. A
/// checkpoint that does not say it has seen as many batches as steps.
void add_samples_seen(std::map<std::string, std::string>& facts, std::int64_t count);
[[nodiscard]] tasks::SamplesSeen samples_seen(const checkpoint::Header& header);
/// The problem that wrote a checkpoint (for `generate`, which has no configuration). Throws Error
/// for facts that describe none.
[[nodiscard]] planner::Problem problem_of(const std::map<std::string, std::string>& facts);

/// The fact of what the sources of a condition are called, in the order of the numbers that nets
/// are told: another order would ask for other towns under the same names. As in
/// note_of_classes().
inline constexpr const char* sources_fact = "sources";

/// A fact of a checkpoint that differs from the run's own.
struct Difference {
    std::string key;
    std::string stored;
    std::string now;
};
/// Of all that the run says. Sources that a checkpoint does not say are none: those before this
/// fact had a note alone.
[[nodiscard]] std::vector<Difference> differences(const std::map<std::string, std::string>& stored,
                                                  const std::map<std::string, std::string>& now);
/// Throws UsageError for a word of --allow-change that is the name of no fact.
void check_allowed(const std::vector<std::string>& allowed);
/// Throws UsageError naming the first difference that --allow-change does not name.
void require_same_problem(const std::vector<Difference>& found,
                          const std::vector<std::string>& allowed);

}  // namespace civitas::runs
