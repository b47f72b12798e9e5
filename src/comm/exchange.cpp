#include "civitas/comm/exchange.hpp"

namespace civitas::comm {

at::Tensor TensorExchange::exchange_slices(const at::Tensor& flat,
                                           const std::vector<Range>& slices) const {
    const Stopwatch watch;
    at::Tensor rows = do_exchange_slices(flat, slices);
    count(watch.seconds());
    return rows;
}

void TensorExchange::all_gather_slices(const at::Tensor& flat,
                                       const std::vector<Range>& slices) const {
    const Stopwatch watch;
    do_all_gather_slices(flat, slices);
    count(watch.seconds());
}

void TensorExchange::count(double seconds) const {
    seconds_ += seconds;
    if (timeline_ == nullptr) return;
    const double now = timeline_->clock.seconds();
    timeline_->spans.push_back({kind_, now - seconds, now});
}

}  // namespace civitas::comm
