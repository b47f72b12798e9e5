#include "held_bytes.hpp"

namespace civitas::train {
namespace {

report::HeldBytes in_parts(const planner::RankMemory& memory) {
    return {.parameters = memory.nets.parameters,
            .gradients = memory.nets.gradients,
            .moments = memory.nets.moments,
            .mean = memory.nets.mean,
            .activations = memory.activations,
            .messages = memory.messages,
            .copy = memory.staging,
            .offloaded = memory.nets.offloaded};
}

}  // namespace

const planner::RankMemory& planned_memory(const Run& run, Rank rank) {
    return run.plan.memory.at(static_cast<std::size_t>(run.mesh.shape().coordinate(rank).pipe()));
}

report::HeldBytes held_by(const optim::ModelState& net) {
    const optim::Updater& updater = net.updater();
    const optim::OptimizerState state = updater.state();
    const auto in_memory = [](const optim::ArenaShard& array) {
        return array.offloaded_to() == nullptr ? array.bytes() : 0;
    };
    const std::int64_t moments = in_memory(state.first_moment) + in_memory(state.second_moment);
    const std::int64_t mean = state.mean == nullptr ? 0 : in_memory(*state.mean);
    return {.parameters = net.bytes() - updater.bytes(),
            .gradients = updater.bytes() - moments - mean,
            .moments = moments,
            .mean = mean,
            .offloaded = net.offloaded_bytes()};
}

std::vector<report::HeldBytes> planned_bytes(const Run& run) {
    std::vector<report::HeldBytes> ranks;
    for (const Rank rank : each<Rank>(run.mesh.shape().size()))
        ranks.push_back(in_parts(planned_memory(run, rank)));
    return ranks;
}

report::HeldBytes counted_bytes(const Run& run, const StepRunner& runner, const RunState& state) {
    const auto& room = state.models().room;
    const std::int64_t gathered =
        room ? planner::share_of_node(room->bytes(), run.plan.layout.ranks_of_node)
             : runner.peak_gathered_bytes();
    report::HeldBytes held{.parameters = gathered,
                           .activations = runner.peak_bytes(),
                           .messages = runner.peak_message_bytes(),
                           .copy = state.copy_bytes()};
    held += held_by(state.models().generator);
    held += held_by(state.models().discriminator);
    return held;
}

}  // namespace civitas::train
