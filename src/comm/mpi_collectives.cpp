#include "civitas/comm/collectives.hpp"

#include "staging.hpp"

#include "civitas/base/error.hpp"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>

namespace civitas::comm {
namespace {

constexpr Tag of_slices{0};
constexpr int tags_everywhere = 32768;  ///< MPI promises so many

const Range& of(const std::vector<Range>& slices, Rank rank) {
    return slices.at(static_cast<std::size_t>(index(rank)));
}

/// Slices of the same lengths without gaps.
std::vector<Range> packed(std::vector<Range> slices) {
    std::int64_t begin = 0;
    for (Range& slice : slices) slice.begin = std::exchange(begin, begin + slice.count);
    return slices;
}

/// All slices one after the other, in host memory.
at::Tensor packed_on_host(const at::Tensor& flat, const std::vector<Range>& slices) {
    std::vector<at::Tensor> parts;
    for (const Range& slice : slices) parts.push_back(part(flat, slice));
    return on_host(at::cat(parts));
}

class MpiGathering final : public Gathering {
public:
    MpiGathering(const MpiCollectives& by, MpiPointToPoint& mailbox, Tag tag)
        : Gathering(by), ranks_(by.ranks()), mailbox_(mailbox), tag_(tag) {}

private:
    void do_wait() override {
        for (int step = 1; step < ranks_.size(); ++step)
            (void)mailbox_.wait(Rank{(index(ranks_.rank()) + step) % ranks_.size()}, tag_);
    }
    void do_finish() override { mailbox_.flush(tag_); }

    const Communicator& ranks_;
    MpiPointToPoint& mailbox_;
    Tag tag_;
};

}  // namespace

at::Tensor part(const at::Tensor& flat, Range slice) {
    return flat.narrow(0, slice.begin, slice.count);
}

Rank MpiCollectives::beside(int distance) const {
    return Rank{(index(rank()) + size() + distance) % size()};
}

std::vector<at::Tensor> MpiCollectives::do_all_to_all_slices(
    const at::Tensor& flat, const std::vector<Range>& slices) const {
    if (!flat.is_cpu()) {
        auto pieces = do_all_to_all_slices(packed_on_host(flat, slices), packed(slices));
        for (at::Tensor& piece : pieces) piece = piece.to(flat.device());
        return pieces;
    }
    at::Tensor rows = at::empty({size(), own(slices).count}, flat.options());
    for (int step = 1; step < size(); ++step)
        mailbox_.post_receive(beside(-step), of_slices, rows[index(beside(-step))]);
    for (int step = 1; step < size(); ++step)
        mailbox_.send(beside(step), of_slices, part(flat, of(slices, beside(step))));
    rows[index(rank())].copy_(part(flat, own(slices)));
    for (int step = 1; step < size(); ++step) (void)mailbox_.wait(beside(-step), of_slices);
    mailbox_.flush();
    return rows.unbind();
}

std::unique_ptr<Gathering> MpiCollectives::do_begin_all_gather_slices(
    const at::Tensor& flat, const std::vector<Range>& slices) const {
    const Tag tag{begun_++ % tags_everywhere};
    for (int step = 1; step < size(); ++step)
        gatherings_.post_receive(beside(-step), tag, part(flat, of(slices, beside(-step))));
    const at::Tensor mine = on_host(part(flat, own(slices)));
    for (int step = 1; step < size(); ++step) gatherings_.send(beside(step), tag, mine);
    return std::make_unique<MpiGathering>(*this, gatherings_, tag);
}

void MpiCollectives::drain() const {
    mailbox_.drain();
    gatherings_.drain();
    begun_ = 0;
}

}  // namespace civitas::comm
