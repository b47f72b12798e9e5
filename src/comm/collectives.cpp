#include "civitas/comm/collectives.hpp"

#include "civitas/base/error.hpp"

#include <utility>

namespace civitas::comm {
namespace {

[[noreturn]] void share_no_memory() { throw Error("these ranks share no memory"); }
}  // namespace

/// One that waits for the others where it is waited for, and nowhere else.
class WaitingAllToAll final : public AllToAll {
public:
    WaitingAllToAll(const TensorCollectives& by, at::Tensor flat, std::vector<Range> slices)
        : AllToAll(by), by_(by), flat_(std::move(flat)), slices_(std::move(slices)) {}

private:
    void do_start() override {}
    [[nodiscard]] bool do_is_there() override { return false; }
    [[nodiscard]] std::vector<at::Tensor> do_wait() override {
        return by_.do_all_to_all_slices(flat_, slices_);
    }

    const TensorCollectives& by_;
    at::Tensor flat_;
    std::vector<Range> slices_;
};

std::unique_ptr<AllToAll> TensorCollectives::do_begin_all_to_all_slices(
    const at::Tensor& flat, const std::vector<Range>& slices) const {
    return std::make_unique<WaitingAllToAll>(*this, flat, slices);
}

std::unique_ptr<AllToAll> TensorCollectives::begin_all_to_all_slices(
    const at::Tensor& flat, const std::vector<Range>& slices) const {
    return do_begin_all_to_all_slices(flat, slices);
}

void AllToAll::start() {
    if (!std::exchange(started_, true)) do_start();
}

std::vector<at::Tensor> AllToAll::wait() {
    const Stopwatch watch;
    start();
    auto pieces = do_wait();
    by_.count(watch.seconds());
    return pieces;
}

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
    share_no_memory();
}
at::Tensor TensorCollectives::node_tensor(std::int64_t, at::ScalarType) const { share_no_memory(); }
NodeArrival TensorCollectives::arrive_on_node() const { share_no_memory(); }
void TensorCollectives::do_wait_for_node(NodeArrival) const { share_no_memory(); }

void TensorCollectives::wait_for_node(NodeArrival arrival) const {
    const Stopwatch watch;
    do_wait_for_node(arrival);
    count(watch.seconds());
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
