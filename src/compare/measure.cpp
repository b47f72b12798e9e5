/// Trainings of all strategies, in turn.
#include "civitas/compare/compare.hpp"

#include "plan.hpp"
#include "runner.hpp"
#include "scratch.hpp"

#include "civitas/base/text.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/comm/node_map.hpp"
#include "civitas/comm/same.hpp"
#include "civitas/profiling/resources_here.hpp"

#include <c10/core/impl/VirtualGuardImpl.h>
#include <algorithm>
#include <iomanip>
#include <iostream>

namespace civitas::compare {
namespace {

/// A folder of the root's, whose name all ranks know.
class SharedScratch {
public:
    SharedScratch(const comm::Communicator& world, const std::filesystem::path& output)
        : path_(comm::from_root(world, [&] { return own_.emplace(output).path().string(); })) {}
    [[nodiscard]] const std::string& path() const { return path_; }

private:
    std::optional<ScratchFolder> own_;
    std::string path_;
};

int gpus_here() {
    return std::max(1, int{c10::impl::VirtualGuardImpl(c10::DeviceType::CUDA).deviceCount()});
}

/// Offloading to a disk changes for good how a process gives memory back: those that do are the
/// last.
std::vector<std::size_t> order_of(const std::vector<Outcome>& outcomes) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < outcomes.size(); ++i)
        if (outcomes[i].why_not.empty()) order.push_back(i);
    std::stable_partition(order.begin(), order.end(), [&](std::size_t i) {
        return outcomes[i].strategy.offload != Offload::disk;
    });
    return order;
}

void tell(const Outcome& outcome, int round, int rounds) {
    std::cout << "round " << round << " of " << rounds << ": " << std::left << std::setw(20)
              << outcome.strategy.name;
    if (outcome.why_not.empty())
        std::cout << fixed(outcome.rounds.back().seconds, 4) << " s a step, "
                  << fixed(outcome.rounds.back().tiles_per_second, 1) << " tiles/s\n";
    else
        std::cout << "failed: " << outcome.why_not << '\n';
    std::cout << std::flush;
}

/// Gives every strategy its turn in every round, those to a disk after all others. False where a
/// signal asks to stop. Collective.
bool take_turns(const comm::Communicator& world, Runner& runner, int rounds,
                std::vector<Outcome>& outcomes) {
    const auto order = order_of(outcomes);
    for (const bool disk : {false, true})
        for (int round = 1; round <= rounds; ++round)
            for (const std::size_t i : order) {
                Outcome& outcome = outcomes[i];
                const bool turn = (outcome.strategy.offload == Offload::disk) == disk;
                if (!turn || !outcome.why_not.empty()) continue;
                Attempt attempt = runner.train(outcome.strategy);
                if (attempt.stopped) return false;
                outcome.why_not = attempt.error;
                outcome.hint = attempt.hint;
                outcome.broke = !attempt.error.empty() && !attempt.usage;
                if (!attempt.error.empty()) outcome.rounds.clear();
                if (attempt.round) outcome.rounds.push_back(std::move(*attempt.round));
                if (world.is_root()) tell(outcome, round, rounds);
            }
    return true;
}

/// The root decides what may be tried, for all.
std::vector<Outcome> agreed_outcomes(const comm::Communicator& world, const Request& request,
                                     const PaperJob& job) {
    std::vector<Outcome> outcomes = comm::agree(
        world, [&] { return outcomes_of(request, considered_for(request, world.size())); });
    comm::on_root(world, [&] { refuse_what_does_not_fit(request, job, outcomes); });
    for (Outcome& outcome : outcomes) outcome.why_not = world.broadcast(outcome.why_not);
    return outcomes;
}

/// By the times of layers that the trainings have kept, where no machine is asked for.
void predict_all(const Request& request, const PaperJob& here, const Runner& runner,
                 std::vector<Outcome>& outcomes) {
    for (Outcome& outcome : outcomes) {
        if (!outcome.measured()) continue;
        outcome.predicted = predicted_by_profile(request, here, outcome.strategy,
                                                 runner.profile_of(outcome.strategy));
        if (request.machine)
            outcome.predicted =
                predicted_by_estimate(request, {*request.machine, here.nodes}, outcome.strategy);
    }
}

}  // namespace

std::optional<Comparison> measure(const comm::Communicator& world, const Request& request,
                                  StopSignals& signals) {
    (void)signals.requested();
    const planner::Configuration& base = request.configuration;
    const NodeMap nodes = comm::node_map(world, base.layout_options.node_size);
    const PaperJob here{profiling::resources_here(world, nodes), nodes};
    Comparison comparison{subject_of(request, here), agreed_outcomes(world, request, here)};
    if (base.layout_options.device == DeviceKind::cuda) comparison.subject.gpus = gpus_here();
    const SharedScratch scratch(world, json_file(request).replace_extension());
    Runner runner(world, base, scratch.path(), signals);
    if (!take_turns(world, runner, request.rounds, comparison.outcomes)) return std::nullopt;
    comm::on_root(world, [&] { predict_all(request, here, runner, comparison.outcomes); });
    return comparison;
}

}  // namespace civitas::compare
