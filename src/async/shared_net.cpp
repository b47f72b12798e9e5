#include "civitas/async/shared_net.hpp"

#include "async_updater.hpp"

#include "civitas/base/error.hpp"

#include <ATen/ops/cat.h>

namespace civitas::async {
namespace {

at::Tensor flattened(const std::vector<at::Tensor>& tensors) { return at::cat(tensors); }

void copy_to(const std::vector<at::Tensor>& tensors, const at::Tensor& flat) {
    std::int64_t begin = 0;
    for (const at::Tensor& tensor : tensors) {
        tensor.copy_(flat.narrow(0, begin, tensor.numel()));
        begin += tensor.numel();
    }
}

}  // namespace

SharedNet::SharedNet(const memory::SharedMemory& memory, AsyncMoments moments)
    : memory_(memory), moments_(moments) {}

std::unique_ptr<optim::Updater> SharedNet::make_updater(const optim::Parameters& parameters,
                                                        const std::vector<Range>& slots_of_layers,
                                                        const optim::UpdaterOptions& options) {
    arrays_ = std::make_shared<SharedArrays>(memory_, parameters, options, moments_);
    if (memory_.ranks().is_root()) arrays_->start_mean();
    return std::make_unique<AsyncUpdater>(parameters, slots_of_layers, options, arrays_);
}

SharedNet::Statistics& SharedNet::statistics(optim::StatisticsKind which) {
    return which == optim::StatisticsKind::running ? running_ : mean_;
}

void SharedNet::hold(optim::StatisticsKind which, const std::vector<at::Tensor>& mine) {
    if (mine.empty()) return;
    Statistics& s = statistics(which);
    const at::Tensor flat = flattened(mine);
    s.flat = memory_.zeros(flat.numel(), flat.scalar_type());
    s.control.emplace(memory_.ranks(), static_cast<std::int64_t>(Turns::bytes_for(1)));
    s.turns.emplace(s.control->bytes(), 1);
    if (memory_.ranks().is_root()) publish(which, mine);
    memory_.ranks().barrier();
}

void SharedNet::change(optim::StatisticsKind which, const std::vector<at::Tensor>& mine,
                       const std::function<void()>& work) {
    const Statistics& s = statistics(which);
    if (!s.turns) return work();
    memory_.finish();  // nobody waits for a turn while a step is made
    s.turns->take(0, [&](std::uint64_t& /*version*/) {
        copy_to(mine, s.flat);
        work();
        s.flat.copy_(flattened(mine));
        memory_.finish();
    });
}

void SharedNet::publish(optim::StatisticsKind which, const std::vector<at::Tensor>& mine) {
    const Statistics& s = statistics(which);
    if (!s.turns) return;
    s.flat.copy_(flattened(mine));
    memory_.finish();
}

std::int64_t SharedNet::bytes_of_weights() const { return arrays_->bytes_of_weights(); }
void SharedNet::refresh() { arrays_->refresh(); }
void SharedNet::rest() { arrays_->rest(); }
void SharedNet::publish() { arrays_->publish(); }

}  // namespace civitas::async
