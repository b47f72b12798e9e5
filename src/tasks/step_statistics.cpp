#include "civitas/tasks/step_statistics.hpp"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/stack.h>

namespace civitas::tasks {
namespace {

/// Mean and variance of every batch norm, one after the other.
at::Tensor flattened(const std::vector<nn::Statistics>& statistics) {
    std::vector<at::Tensor> parts;
    for (const auto& s : statistics) {
        parts.push_back(s.mean_C);
        parts.push_back(s.variance_C);
    }
    return at::cat(parts);
}

/// A row for every micro-batch of the step, in ascending order, from the rows of this rank's.
std::vector<at::Tensor> gathered(const comm::MpiCollectives& ranks, const at::Tensor& rows,
                                 const std::vector<MicroBatchShare>& shares) {
    const at::Tensor mine = rows.cpu().contiguous();
    const std::int64_t width = mine.size(1);
    std::vector<Range> slices;
    for (const MicroBatchShare& share : shares)
        slices.push_back({slices.empty() ? 0 : slices.back().end(), share.count() * width});
    const at::Tensor table = at::empty({slices.back().end() / width, width}, mine.options());
    comm::part(table.view({-1}), ranks.own(slices)).copy_(mine.view({-1}));
    ranks.all_gather_slices(table.view({-1}), slices);
    const auto by_rank = table.to(rows.device()).unbind(0);
    std::vector<at::Tensor> by_micro(by_rank.size());
    auto next = by_rank.begin();
    for (const MicroBatchShare& share : shares)
        for (std::int64_t i = 0; i < share.count(); ++i)
            by_micro[static_cast<std::size_t>(share.global(LocalMicroBatch{i}))] = *next++;
    return by_micro;
}

std::vector<MicroBatchShare> shares_of_data_axis(std::int64_t micro_batches, const MeshShape& mesh,
                                                 Sharing sharing) {
    std::vector<MicroBatchShare> shares;
    for (int data = 0; data < mesh[Axis::data]; ++data)
        shares.push_back(own_micro_batches(micro_batches, mesh, {{Axis::data, data}}, sharing));
    return shares;
}

}  // namespace

StepStatistics::StepStatistics(const comm::Mesh& mesh, std::int64_t micro_batches, Sharing sharing,
                               bool synchronised)
    : ranks_(mesh.mpi_collectives()),
      shares_(shares_of_data_axis(micro_batches, mesh.shape(), sharing)),
      own_(static_cast<std::size_t>(
          shares_.at(static_cast<std::size_t>(mesh.coordinate()[Axis::data])).count())),
      known_to_all_(shares_.size() == 1 || synchronised) {}

void StepStatistics::record(const schedule::Action& visit,
                            const std::vector<nn::Statistics>& statistics) {
    if (!statistics.empty())
        visits_[{visit.net, visit.stage, visit.pass}][visit.micro] = flattened(statistics);
}

void StepStatistics::apply(schedule::NetId which, optim::ModelState& net) {
    std::vector<std::pair<StageId, std::int64_t>> widths;  // of each visited stage
    std::vector<std::vector<at::Tensor>> mine(own_);
    for (auto& [visited, by_micro] : visits_) {
        const auto& [of_net, stage, pass] = visited;
        if (of_net != which || by_micro.empty()) continue;
        widths.emplace_back(stage, by_micro.begin()->second.numel());
        for (const auto& [micro, statistics] : by_micro)
            mine.at(static_cast<std::size_t>(micro)).push_back(statistics);
        by_micro.clear();
    }
    if (widths.empty()) return;
    // Replicas may have made theirs on other devices.
    const at::Device device = net.buffers().tensors().front().device();
    std::vector<at::Tensor> rows;
    for (const auto& statistics : mine) rows.push_back(at::cat(statistics).to(device));
    if (!known_to_all_) rows = gathered(ranks_, at::stack(rows), shares_);
    std::int64_t begin = 0;
    for (const auto& [stage, width] : widths) {
        std::vector<at::Tensor> of_stage;
        for (const at::Tensor& row : rows) of_stage.push_back(row.narrow(0, begin, width));
        net.apply_statistics(stage, of_stage);
        begin += width;
    }
}

}  // namespace civitas::tasks
