#include "async_train.hpp"

#include "async_course.hpp"
#include "by_itself.hpp"

#include "civitas/async/shared_net.hpp"
#include "civitas/base/text.hpp"
#include "civitas/comm/node_map.hpp"
#include "civitas/comm/same.hpp"

namespace civitas::train {
namespace {

/// What ranks share of the nets.
struct SharedNets {
    SharedNets(const comm::Communicator& world, const planner::Configuration& c, at::Device device)
        : counts(world, static_cast<std::int64_t>(async::BatchCounter::bytes_for(world.size()))),
          counter(counts.bytes(), world.size(), index(world.rank()), c.update.max_staleness),
          figures(world, static_cast<std::int64_t>(AsyncCourse::bytes_for(world.size()))),
          room(memory::shared_memory(world, device)) {
        for (std::size_t net = 0; net < c.problem.nets.all().size(); ++net)
            nets.push_back(std::make_unique<async::SharedNet>(*room, c.update.moments));
    }
    [[nodiscard]] std::vector<optim::SharedModel*> models() const {
        std::vector<optim::SharedModel*> all;
        for (const auto& net : nets) all.push_back(net.get());
        return all;
    }

    comm::NodeMemory counts;
    async::BatchCounter counter;
    comm::NodeMemory figures;
    std::unique_ptr<memory::SharedMemory> room;
    std::vector<std::unique_ptr<async::SharedNet>> nets;  ///< by NetId
};

}  // namespace

Exit train_async(const comm::Communicator& world, const planner::Configuration& asked,
                 StopSignals& signals, Log& log, const data::TileStore* opened_store) {
    comm::require_same(world, {"the configuration", Hint{"the same files for all ranks of a job"}},
                       asked.resolved);
    const NodeMap nodes = comm::node_map(world, asked.layout_options.node_size);
    comm::agree(world, [&] {
        refuse_what_needs_others("--update async trains each rank by itself: ", world, asked);
        if (nodes.nodes() > 1)
            throw UsageError(text("--update async needs ranks that share memory; these are on ",
                                  nodes.nodes(), " nodes"),
                             Hint{"one node, or --update sync"});
    });
    const planner::Configuration own = configuration_by_itself(asked, world);
    OpenedByItself opened(world, own, signals, log, opened_store);
    const steps::Run run = opened.run();
    SharedNets shared(world, own, run.process.device);
    runs::RunState state = opened.state(shared.models());
    opened.take_up(state);
    for (const auto& net : state.models().all()) net->refresh();
    AsyncCourse course(world, shared.counter, shared.figures.bytes(), state);
    return train_led(opened, run, state, signals, course);
}

}  // namespace civitas::train
