#include "civitas/tasks/poster.hpp"

#include "civitas/comm/mesh.hpp"
#include "civitas/schedule/actions.hpp"

namespace civitas::tasks {
namespace {

using environment::Activity;
using schedule::Action;

/// Names of the layers of each stage as a rank has them, by net and stage.
using LayerNames = std::vector<std::vector<std::vector<std::string>>>;

LayerNames layer_names(const planner::ExecutionLayout& layout, const planner::Workload& workload) {
    LayerNames names;
    for (const schedule::NetId net : workload.graph.net_ids()) {
        auto& of_net = names.emplace_back();
        for (const Range& layers : layout.stages_of(net)) {
            auto& of_stage = of_net.emplace_back();
            for (const auto& layer : workload.local_part(layout, net, layers).layers)
                of_stage.push_back(layer.name);
        }
    }
    return names;
}

bool takes_long(Work work) { return work != Work::table && work != Work::between; }

std::string_view to_string(Work work) {
    switch (work) {
        case Work::starting: return "starts";
        case Work::table: return "begins its table";
        case Work::between: return "ends the step";
        case Work::saving: return "saves a checkpoint";
        case Work::drawing: return "draws a sheet of samples";
        case Work::searching: return "looks for what made numbers go bad";
        case Work::writing_trace: return "writes the trace";
        case Work::ending: return "ends the run";
    }
    return "";
}

Action action_of(const Activity& activity) {
    return {schedule::NetId{activity.net}, StageId{activity.stage}, schedule::PassId{activity.pass},
            static_cast<schedule::Kind>(activity.action), LocalMicroBatch{activity.micro}};
}

}  // namespace

Poster::Poster(environment::Board& board, int slot, const comm::Communicator& pipe)
    : board_(board), slot_(slot), pipe_(pipe) {
    (void)begin_work(Work::starting);
}

void Poster::post() noexcept { board_.post(slot_, now_, environment::node_time()); }

void Poster::amend() noexcept { board_.amend(slot_, now_, environment::node_time()); }

void Poster::begin_step(StepIndex step) {
    now_.step = index(step) + 1;
    (void)begin_work(Work::table);
}

Work Poster::begin_work(Work work) {
    const auto before = static_cast<Work>(now_.work);
    Activity next;
    next.step = now_.step;
    next.work = static_cast<std::int8_t>(work);
    next.takes_long = takes_long(work);
    now_ = next;
    waits_ = 0;
    post();
    return before;
}

void Poster::begin(const Action& action) {
    now_.net = static_cast<std::int16_t>(action.net);
    now_.pass = static_cast<std::int16_t>(action.pass);
    now_.stage = static_cast<std::int16_t>(action.stage);
    now_.action = static_cast<std::int16_t>(action.kind);
    now_.micro = static_cast<std::int32_t>(action.micro);
    now_.layer = -1;
    now_.source = -1;
    post();
}

void Poster::waiting_for(PipeCoordinate coordinate) {
    now_.source = index(pipe_.rank_in_job(comm::rank_on_pipe(coordinate)));
    amend();
}

void Poster::at_layer(std::size_t layer) {
    now_.layer = static_cast<std::int16_t>(layer);
    amend();
}

void Poster::begin_wait(const RankRow& ranks) {
    if (waits_++ > 0) return;
    now_.awaited = ranks;
    post();
}

void Poster::end_wait() {
    if (waits_ > 1) {
        --waits_;
        return;
    }
    waits_ = 0;
    now_.awaited = {};
    post();
}

environment::Words words_for(const planner::ExecutionLayout& layout,
                             const planner::Workload& workload) {
    return [graph = layout.schedule.graph,
            names = layer_names(layout, workload)](const Activity& activity) {
        if (activity.action < 0) return std::string(to_string(static_cast<Work>(activity.work)));
        std::string action = to_string(graph, action_of(activity));
        if (activity.layer < 0) return action;
        return text(action, ", layer ",
                    names.at(static_cast<std::size_t>(activity.net))
                        .at(static_cast<std::size_t>(activity.stage))
                        .at(static_cast<std::size_t>(activity.layer)));
    };
}

}  // namespace civitas::tasks
