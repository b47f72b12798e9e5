#include "civitas/tasks/recorded_losses.hpp"

#include <ATen/ops/stack.h>
#include <cmath>
#include <limits>
#include <utility>

namespace civitas::tasks {

RecordedLosses::RecordedLosses(std::vector<schedule::PassId> passes, const ReplicaParts& parts,
                               at::Device device)
    : passes_(std::move(passes)), parts_(parts), device_(device) {}

void RecordedLosses::clear() {
    unread_.clear();
    asked_.clear();
    read_.clear();
    fault_.reset();
}

void RecordedLosses::record(schedule::PassId pass, LocalMicroBatch micro,
                            const at::Tensor& figures) {
    unread_.push_back({pass, micro, figures});
}

const std::optional<LossFault>& RecordedLosses::fault() {
    read();
    return fault_;
}

std::vector<double> RecordedLosses::all(std::int64_t micro_batches) {
    read();
    std::vector<double> figures;
    if (read_.empty()) return figures;
    for (std::int64_t i = 0; i < micro_batches; ++i)
        for (const schedule::PassId pass : passes_) {
            const std::vector<double>& of_pass = read_.at({pass, LocalMicroBatch{i}});
            figures.insert(figures.end(), of_pass.begin(), of_pass.end());
        }
    return figures;
}

void RecordedLosses::begin_reading() {
    if (unread_.empty()) return;
    std::vector<at::Tensor> tensors;
    for (const Recorded& one : unread_) tensors.push_back(one.figures.to(device_));
    asked_.push_back({std::exchange(unread_, {}), memory::PendingNumbers(tensors)});
}

void RecordedLosses::add_to(const at::Tensor& number) const {
    if (unread_.empty()) return;
    std::vector<at::Tensor> losses;
    for (const Recorded& one : unread_) losses.push_back(one.figures.select(0, 0).to(device_));
    number.add_(at::stack(losses).sum());
}

void RecordedLosses::read() {
    begin_reading();
    while (!asked_.empty()) (void)next_fault();
}

const std::optional<LossFault>& RecordedLosses::next_fault() {
    if (asked_.empty()) return fault_;
    const auto& [losses, pending] = asked_.front();
    const auto* next = pending.wait().data();
    for (const Recorded& one : losses) {
        const auto* const begin = next;
        next += one.figures.numel();
        look_at(one, {begin, next});
    }
    asked_.pop_front();
    return fault_;
}

void RecordedLosses::look_at(const Recorded& one, std::vector<double> figures) {
    const double loss = figures.front();
    // Of several replicas that of the first counts, as that of the first of several ranks does.
    if (!std::isfinite(loss) &&
        (!fault_ || parts_.replica_of(one.micro) < parts_.replica_of(fault_->micro)))
        fault_ = {one.pass, one.micro,
                  std::isnan(loss) ? std::numeric_limits<double>::quiet_NaN() : loss};
    read_[{one.pass, one.micro}] = std::move(figures);
}

}  // namespace civitas::tasks
