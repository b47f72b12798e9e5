#include "civitas/comm/collectives.hpp"

#include "civitas/base/error.hpp"

namespace civitas::comm {

std::vector<at::Tensor> TensorCollectives::all_to_all_slices(
    const at::Tensor& flat, const std::vector<Range>& slices) const {
    const Stopwatch watch;
    auto pieces = do_all_to_all_slices(flat, slices);
    count(watch.seconds());
    return pieces;
}

void TensorCollectives::all_gather_slices(const at::Tensor& flat,
                                          const std::vector<Range>& slices) const {
    const Stopwatch watch;
    const auto gathering = do_begin_all_gather_slices(flat, slices);
    gathering->do_wait();
    gathering->do_finish();
    count(watch.seconds());
}

std::unique_ptr<Gathering> TensorCollectives::begin_all_gather_slices(
    const at::Tensor& flat, const std::vector<Range>& slices) const {
    const Stopwatch watch;
    auto gathering = do_begin_all_gather_slices(flat, slices);
    count(watch.seconds());
    return gathering;
}

at::Tensor TensorCollectives::exchange_buffer(std::int64_t, at::ScalarType) const {
    throw Error("ranks that share no memory have no buffers in it");
}

at::Tensor TensorCollectives::node_tensor(std::int64_t, at::ScalarType) const {
    throw Error("ranks that share no memory have no tensors in it");
}

void Gathering::wait() {
    const Stopwatch watch;
    do_wait();
    by_.count(watch.seconds());
}

void Gathering::finish() {
    const Stopwatch watch;
    do_finish();
    by_.count(watch.seconds());
}

void TensorCollectives::count(double seconds) const {
    seconds_ += seconds;
    if (timeline_ == nullptr) return;
    const double now = timeline_->clock.seconds();
    timeline_->spans.push_back({kind_, now - seconds, now});
}

}  // namespace civitas::comm
