#include "server_train.hpp"

#include "by_itself.hpp"
#include "server_course.hpp"

#include "civitas/comm/same.hpp"
#include "civitas/planner/bounds.hpp"

namespace civitas::train {
namespace {

void refuse_what_does_not_go(const comm::Communicator& world, const planner::Configuration& c) {
    const std::string kind = "--update server has workers that compute by themselves: ";
    refuse_what_needs_others(kind, world, c);
    if (has_kind(c.layout_options.devices(), DeviceKind::cuda))
        throw UsageError(kind + "weights are in memory of the host", Hint{"--device cpu"});
    UpdateOptions update = c.update;
    update.ranks = world.size();
    planner::check_servers(update);
}

}  // namespace

Exit train_server(const comm::Communicator& world, const planner::Configuration& asked,
                  StopSignals& signals, Log& log, const data::TileStore* opened_store,
                  bool is_whole_job) {
    comm::require_same(world, {"the configuration", Hint{"the same files for all ranks of a job"}},
                       asked.resolved);
    comm::agree(world, [&] { refuse_what_does_not_go(world, asked); });
    const planner::Configuration own = configuration_by_itself(asked, world);
    OpenedByItself opened(world, own, signals, log, opened_store);
    ServerRanks ranks(world, own, log);
    runs::RunState state = opened.state(ranks.models());
    const steps::Run run = opened.run(ranks.parts);
    if (world.is_root()) ranks.follow_updates(state);
    opened.take_up(state);
    ServerCourse course(ranks, run, state);
    if (is_whole_job)
        course.end_without_silent([&] {
            last_words(log, "");
            if (opened.held().lock) opened.held().lock->release();
        });
    return train_led(opened, run, state, signals, course);
}

}  // namespace civitas::train
