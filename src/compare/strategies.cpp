#include "civitas/compare/strategies.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace civitas::compare {
namespace {

constexpr std::array pipelines{
    std::pair{"gpipe", "every F of a pass before its first B"},
    std::pair{"1f1b", "F and B take turns, which keeps fewer activations"},
    std::pair{"interleaved:2", "two stages of each net on a rank, for a shorter fill"},
    std::pair{"zero-bubble", "W fills the gaps that F and B leave"},
    std::pair{"gan", "passes of both nets overlap as a GAN's step allows"}};

MeshShape along(Axis axis, int ranks) {
    MeshShape mesh;
    mesh[axis] = ranks;
    return mesh;
}

/// All strategies but those of one process need others: of too few ranks they are told with as many
/// as they need.
class List {
public:
    explicit List(int ranks) : ranks_(ranks), least_(std::max(ranks, 2)) {}

    [[nodiscard]] int least() const { return least_; }
    void add(Strategy strategy) {
        std::string why_not;
        if (strategy.ranks > ranks_)
            why_not = text("it needs ", strategy.ranks, " ranks, the job has ", ranks_);
        all_.push_back({std::move(strategy), why_not});
    }
    void refuse(Strategy strategy, std::string why_not) {
        all_.push_back({std::move(strategy), std::move(why_not)});
    }
    [[nodiscard]] std::vector<Considered> take() { return std::move(all_); }

private:
    int ranks_;
    int least_;
    std::vector<Considered> all_;
};

void add_one_process(List& list, int ranks) {
    list.add({.name = "one-process",
              .family = Family::process,
              .words = "one rank has everything, and all cores of its node"});
    list.add({.name = "replicas",
              .family = Family::replicas,
              .words = text(list.least(), " replicas of the nets in one process share its threads"),
              .replicas = std::max(2, ranks)});
}

void add_naive(List& list, const std::vector<Placement>& placements) {
    for (const Placement& stages : placements) {
        const int ranks = stages.empty() ? list.least() : static_cast<int>(stages.size());
        list.add({.name = stages.empty() ? "naive" : "naive:" + join(stages, "-"),
                  .family = Family::naive,
                  .words = text(
                      "each rank has a part of the layers, one is at work at a time; ",
                      stages.empty() ? "cut where it is balanced" : "blocks of the first net: ",
                      join(stages, " ")),
                  .ranks = ranks,
                  .mesh = along(Axis::pipe, ranks),
                  .schedule = planner::schedule_named("naive"),
                  .stages = stages});
    }
}

void add_pipelines(List& list) {
    for (const auto& [schedule, words] : pipelines)
        list.add({.name = schedule,
                  .family = Family::pipeline,
                  .words = text("each rank has a part of the layers; ", words),
                  .ranks = list.least(),
                  .mesh = along(Axis::pipe, list.least()),
                  .schedule = planner::schedule_named(schedule)});
}

/// Every way to have at least two copies of at least two stages each.
void add_meshes(List& list, int ranks) {
    const auto strategy = [](int data, int pipe) {
        return Strategy{.name = text("data+pipe:", data, '-', pipe),
                        .family = Family::mesh,
                        .words = text(data, " copies of a pipeline of ", pipe, " stages"),
                        .ranks = data * pipe,
                        .mesh = {{Axis::data, data}, {Axis::pipe, pipe}}};
    };
    bool any = false;
    for (int pipe = 2; pipe <= ranks / 2; ++pipe)
        if (ranks % pipe == 0) {
            list.add(strategy(ranks / pipe, pipe));
            any = true;
        }
    if (any) return;
    if (ranks < 4) return list.add(strategy(2, 2));
    list.refuse(strategy(2, 2), text(ranks, " ranks are no product of two numbers over 1"));
}

void add_divided(List& list) {
    const int ranks = list.least();
    for (const ShardLevel level :
         {ShardLevel::optimizer, ShardLevel::gradients, ShardLevel::parameters})
        list.add({.name = text("shard:", to_string(level)),
                  .family = Family::shard,
                  .words = text("data parallel; ranks divide ",
                                level == ShardLevel::optimizer ? "moments and means"
                                : level == ShardLevel::gradients
                                    ? "moments, means and sums of gradients"
                                    : "moments, means, sums of gradients and weights"),
                  .ranks = ranks,
                  .mesh = along(Axis::data, ranks),
                  .shard = level});
    for (const Offload offload : {Offload::host, Offload::disk})
        list.add(
            {.name = text("offload:", to_string(offload)),
             .family = Family::offload,
             .words = text("data parallel; what only the optimizer needs lies ", place_of(offload)),
             .ranks = ranks,
             .mesh = along(Axis::data, ranks),
             .offload = offload});
}

/// Nothing of a run is kept but what it tells of its steps.
planner::RunOptions run_options_of(const planner::RunOptions& asked) {
    planner::RunOptions o;
    o.tiles = asked.tiles;
    o.steps = asked.steps;
    o.hang_seconds = asked.hang_seconds;
    o.checkpoint_every = 0;
    o.sample_every = 0;
    o.keep = 1;
    return o;
}

void add_own_pace(List& list) {
    const int ranks = list.least();
    list.add(
        {.name = "async",
         .family = Family::async,
         .words = "each rank makes steps of its own and updates shared weights without waiting",
         .ranks = ranks,
         .update = UpdateKind::async});
    list.add({.name = "server",
              .family = Family::server,
              .words = "ranks take parts of a step in turn; servers keep the weights",
              .ranks = ranks,
              .update = UpdateKind::server});
    list.add({.name = "population",
              .family = Family::population,
              .words = text(ranks, " models side by side, each by one rank"),
              .ranks = ranks,
              .models = ranks});
}

}  // namespace

std::vector<Considered> consider(int ranks, const std::vector<Placement>& placements) {
    List list(ranks);
    add_one_process(list, ranks);
    list.add({.name = "data",
              .family = Family::data,
              .words = "each rank has the nets and a part of the batch; gradients are summed",
              .ranks = list.least(),
              .mesh = along(Axis::data, list.least())});
    add_naive(list, placements);
    add_pipelines(list);
    list.add({.name = "tensor",
              .family = Family::tensor,
              .words = "the channels of every layer are divided; activations are exchanged",
              .ranks = list.least(),
              .mesh = along(Axis::tensor, list.least())});
    add_meshes(list, ranks);
    add_divided(list);
    add_own_pace(list);
    return list.take();
}

planner::Configuration applied(const Strategy& s, planner::Configuration c) {
    planner::LayoutOptions& o = c.layout_options;
    o.mesh = MeshRequest(s.is_by_itself() ? "" : to_string(s.mesh));
    o.schedule = s.schedule;
    o.stages = {s.stages};
    o.placement = planner::StageOrder::automatic;
    o.shard = s.shard;
    o.offload = s.offload;
    o.replicas = s.replicas;
    c.update.kind = s.update;
    if (s.update == UpdateKind::server && !c.update.max_staleness) c.update.max_staleness = 0;
    c.update.ranks = s.update == UpdateKind::sync ? 1 : s.ranks;
    c.update.servers = 0;  // all ranks serve and work
    if (s.update == UpdateKind::sync) c.update.max_staleness = {};
    if (s.update != UpdateKind::async) c.update.moments = AsyncMoments::shared;
    c.run_options = run_options_of(c.run_options);
    c.resolved += "# " + s.name + options_of(s) + '\n';
    return c;
}

std::string options_of(const Strategy& s, bool beside_file) {
    std::string words;
    if (s.models > 1) words += text(" --population ", s.models);
    if (s.update != UpdateKind::sync || beside_file)
        words += text(" --update ", to_string(s.update));
    if (!s.is_by_itself())
        words += text(" --mesh ", to_string(s.mesh));
    else if (beside_file)
        words += " --mesh data=auto";
    if (s.mesh[Axis::pipe] > 1 || beside_file) words += text(" --schedule ", s.schedule.name);
    if (!s.stages.empty()) words += text(" --stages ", join(s.stages, ","));
    if (s.shard != ShardLevel::none || beside_file) words += text(" --shard ", to_string(s.shard));
    if (s.offload != Offload::none || beside_file)
        words += text(" --offload ", to_string(s.offload));
    if (s.replicas > 1 || beside_file) words += text(" --replicas ", s.replicas);
    return words;
}

}  // namespace civitas::compare
