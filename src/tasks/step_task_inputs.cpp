/// What the passes of a step read, and gradients on their way back to it.
#include "civitas/tasks/step_task.hpp"

#include <ATen/ops/zeros.h>
#include <utility>

namespace civitas::tasks {

using schedule::PassId;

void StepTask::put_draws(RankInputs& inputs, StepIndex step) {
    std::map<RankInputs::Visit, at::Tensor> drawn;
    for (std::int64_t i = 0; i < share_.micro_batches.count(); ++i) {
        const LocalMicroBatch micro{i};
        for (const PassId pass : layout_.schedule.graph.pass_ids())
            drawn[{pass, micro}] = share_.objective->draws(visit(step, pass, global(micro)));
    }
    inputs.put_draws(drawn);
}

void StepTask::put_inputs(RankInputs& inputs) {
    if (std::exchange(ahead_of_, std::nullopt) == step_) {
        error_ = std::exchange(error_ahead_, nullptr);
        return inputs.take_tiles_ahead();
    }
    put_draws(inputs, step_);
    each_tiles([&](auto micro, const auto& x_BCHW) { inputs.put_tiles(micro, x_BCHW); });
}

void StepTask::each_tiles(const std::function<void(LocalMicroBatch, const at::Tensor&)>& with) {
    tiles_.begin();
    for (std::int64_t i = 0; reads_ && i < share_.micro_batches.count(); ++i)
        with(LocalMicroBatch{i}, tiles_.take(LocalMicroBatch{i}));
}

// What cannot be read is an error of the step that it is for.
void StepTask::put_inputs_ahead(RankInputs& inputs) {
    const StepIndex next{index(step_) + 1};
    put_draws(inputs, next);
    comm::Outcome of_this_step = std::exchange(error_, nullptr);
    try {
        each_tiles([&](auto micro, const auto& x_BCHW) { inputs.put_tiles_ahead(micro, x_BCHW); });
    } catch (...) {
        error_ = std::move(of_this_step);
        throw;
    }
    error_ahead_ = std::exchange(error_, std::move(of_this_step));
    ahead_of_ = next;
}

at::Tensor StepTask::draws(PassId pass, LocalMicroBatch micro) const {
    if (inputs_) return inputs_->draws({pass, micro});
    return share_.objective->draws(visit(step_, pass, global(micro)));
}

at::Tensor StepTask::input(PassId pass, LocalMicroBatch micro, const at::Tensor& output) {
    const bool reads =
        !output.defined() && share_.workload[layout_.schedule.graph[pass].net].reads_ahead;
    const at::Tensor drawn_BN = draws(pass, micro);
    if (output.defined()) {
        at::Tensor numbers = share_.objective->remembered(pass, output, drawn_BN);
        const std::lock_guard lock(recording_);
        remembered_[pass][micro] = std::move(numbers);
    }
    return share_.objective->input(pass, reads ? tiles(micro) : output, drawn_BN);
}

// What cannot be read ends the step where all ranks meet, before anything is updated: until then
// empty tiles keep the messages between the ranks going.
at::Tensor StepTask::next_tiles() {
    try {
        return next_tiles_();
    } catch (...) {
        if (!error_) error_ = std::current_exception();
    }
    const auto& image = share_.workload[share_.workload.reader()].description.input;
    return at::zeros({share_.workload.micro_batch, image.channels, image.height, image.width},
                     at::kFloat);
}

at::Tensor StepTask::tiles(LocalMicroBatch micro) {
    if (inputs_) return inputs_->tiles(micro);
    return tiles_.take(micro);
}

at::Tensor StepTask::output_gradient(PassId pass, LocalMicroBatch micro,
                                     const at::Tensor& gradient) {
    at::Tensor numbers;
    {
        const std::lock_guard lock(recording_);
        numbers = remembered_[pass][micro];
    }
    return share_.objective->output_gradient(pass, gradient, draws(pass, micro), numbers);
}

}  // namespace civitas::tasks
