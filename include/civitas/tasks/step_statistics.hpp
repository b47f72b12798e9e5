#pragma once
/// Statistics of batch norms, from the passes of a step to the running ones of a net.
#include "civitas/comm/mesh.hpp"
#include "civitas/nn/layer.hpp"
#include "civitas/optim/model_state.hpp"
#include "civitas/planner/execution_layout.hpp"
#include "civitas/schedule/schedule.hpp"

#include <map>
#include <tuple>
#include <vector>

namespace civitas::tasks {

class StepStatistics {
public:
    /// `micro_batches`: of the step, on all ranks, which share them as `sharing` says.
    /// `synchronised`: batch norm normalises over the ranks of the data axis.
    StepStatistics(const comm::Mesh& mesh, std::int64_t micro_batches, Sharing sharing,
                   bool synchronised);

    void clear() { visits_.clear(); }
    /// Takes the statistics of the visited stage's batch norms, in layer order.
    void record(const schedule::Action& visit, const std::vector<nn::Statistics>& statistics);
    /// Brings the running statistics of a net up to date: stage by stage, pass by pass, with those
    /// of all micro-batches of the step in ascending order. Collective over the data axis.
    void apply(schedule::NetId which, optim::ModelState& net);

private:
    using StagePass = std::tuple<schedule::NetId, StageId, schedule::PassId>;

    const comm::MpiCollectives& ranks_;    ///< of the data axis
    std::vector<MicroBatchShare> shares_;  ///< theirs
    std::size_t own_;                      ///< micro-batches of this rank
    /// Whether every rank has the statistics of whole groups: one rank has all micro-batches, or
    /// batch norm is synchronised.
    bool known_to_all_;
    std::map<StagePass, std::map<LocalMicroBatch, at::Tensor>> visits_;
};

}  // namespace civitas::tasks
