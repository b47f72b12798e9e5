#include "civitas/optim/model_state.hpp"

namespace civitas::optim {

void ModelState::change(StatisticsKind which, const Buffers& statistics,
                        const std::function<void()>& work) const {
    if (shared_ == nullptr) return work();
    shared_->change(which, statistics.tensors(), work);
}

void ModelState::refresh() {
    shared_->refresh();
    change(StatisticsKind::running, buffers_, [] {});
    if (mean_buffers_) change(StatisticsKind::mean, *mean_buffers_, [] {});
}

void ModelState::rest() {
    shared_->rest();
    refresh();
}

void ModelState::publish() {
    shared_->publish();
    shared_->publish(StatisticsKind::running, buffers_.tensors());
    if (mean_buffers_) shared_->publish(StatisticsKind::mean, mean_buffers_->tensors());
}

}  // namespace civitas::optim
