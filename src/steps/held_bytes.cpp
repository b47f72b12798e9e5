#include "civitas/steps/held_bytes.hpp"

namespace civitas::steps {

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

std::vector<planner::RankMemory> planned_memory(const Run& run) {
    std::vector<planner::RankMemory> ranks;
    for (const Rank rank : each<Rank>(run.mesh.shape().size()))
        ranks.push_back(run.model.memory(run.plan.layout, run.plan.costs, rank));
    return ranks;
}

report::HeldBytes held_by(const optim::ModelState& net) {
    const optim::Updater& updater = net.updater();
    const optim::OptimizerState state = updater.state();
    const auto in_memory = [](const optim::ArenaShard& array) {
        return array.offloaded_to() == nullptr ? array.bytes() : 0;
    };
    std::int64_t moments = 0;
    for (const optim::Moment& moment : state.moments) moments += in_memory(moment.values);
    const optim::HeldForOthers others = updater.held_for_others();
    moments += others.moments;
    const std::int64_t mean = others.mean + (state.mean == nullptr ? 0 : in_memory(*state.mean));
    return {.parameters = net.bytes() - updater.bytes(),
            .gradients = updater.bytes() - moments - mean,
            .moments = moments,
            .mean = mean,
            .messages = others.messages,
            .offloaded = net.offloaded_bytes()};
}

std::int64_t gathered_share(const optim::GatherRoom& room, const comm::TensorCollectives& data) {
    const auto sharing = data.nodes()->beside(data.rank()).size();
    return planner::share_of_node(room.bytes(), static_cast<int>(sharing));
}

report::HeldBytes counted_bytes(const Run& run, const StepRunner& runner,
                                const runs::RunState& state) {
    const auto* const room = state.models().room();
    const std::int64_t gathered = room != nullptr
                                      ? gathered_share(*room, run.mesh.collectives(Axis::data))
                                      : runner.peak_gathered_bytes();
    report::HeldBytes held{.parameters = gathered,
                           .activations = runner.peak_bytes(),
                           .messages = runner.peak_message_bytes(),
                           .copy = state.copy_bytes()};
    for (const auto& net : state.models().all()) held += held_by(*net);
    return held;
}

}  // namespace civitas::steps
