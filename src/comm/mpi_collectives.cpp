#include "civitas/comm/collectives.hpp"

#include "staging.hpp"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty_like.h>
#include <utility>

namespace civitas::comm {
namespace {

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

}  // namespace

at::Tensor part(const at::Tensor& flat, Range slice) {
    return flat.narrow(0, slice.begin, slice.count);
}

Rank MpiCollectives::beside(int distance) const {
    return Rank{(index(rank()) + size() + distance) % size()};
}

class MpiCollectives::MpiAllToAll final : public AllToAll {
public:
    MpiAllToAll(const MpiCollectives& by, at::Tensor flat, std::vector<Range> slices)
        : AllToAll(by),
          by_(by),
          tag_(by.tags_.next()),
          flat_(std::move(flat)),
          slices_(std::move(slices)) {}

private:
    [[nodiscard]] at::Tensor own() const { return part(flat_, by_.own(slices_)); }
    void do_start() override {
        for (int step = 1; step < by_.size(); ++step)
            by_.mailbox_.post_receive(by_.beside(-step), tag_, at::empty_like(own()));
        for (int step = 1; step < by_.size(); ++step)
            by_.mailbox_.send(by_.beside(step), tag_, part(flat_, of(slices_, by_.beside(step))));
    }
    [[nodiscard]] bool do_is_there() override {
        for (int step = 1; step < by_.size(); ++step)
            if (!by_.mailbox_.is_there(by_.beside(-step), tag_)) return false;
        return by_.mailbox_.has_left(tag_);
    }
    [[nodiscard]] std::vector<at::Tensor> do_wait() override {
        std::vector<at::Tensor> pieces(static_cast<std::size_t>(by_.size()));
        pieces[static_cast<std::size_t>(index(by_.rank()))] = own();
        for (int step = 1; step < by_.size(); ++step)
            pieces[static_cast<std::size_t>(index(by_.beside(-step)))] =
                by_.mailbox_.wait(by_.beside(-step), tag_);
        by_.mailbox_.flush(tag_);
        return pieces;
    }

    const MpiCollectives& by_;
    Tag tag_;
    at::Tensor flat_;
    std::vector<Range> slices_;
};

class MpiCollectives::MpiGathering final : public Gathering {
public:
    MpiGathering(const MpiCollectives& by, const at::Tensor& flat, const std::vector<Range>& slices)
        : Gathering(by), by_(by), tag_(by.tags_.next()) {
        for (int step = 1; step < by.size(); ++step)
            by.mailbox_.post_receive(by.beside(-step), tag_,
                                     part(flat, of(slices, by.beside(-step))));
        const at::Tensor mine = on_host(part(flat, by.own(slices)));
        for (int step = 1; step < by.size(); ++step) by.mailbox_.send(by.beside(step), tag_, mine);
    }

private:
    void do_wait() override {
        for (int step = 1; step < by_.size(); ++step)
            (void)by_.mailbox_.wait(by_.beside(step), tag_);
    }
    void do_finish() override { by_.mailbox_.flush(tag_); }

    const MpiCollectives& by_;
    Tag tag_;
};

std::unique_ptr<AllToAll> MpiCollectives::do_begin_all_to_all_slices(
    const at::Tensor& flat, const std::vector<Range>& slices) const {
    if (!flat.is_cpu()) return TensorCollectives::do_begin_all_to_all_slices(flat, slices);
    return std::make_unique<MpiAllToAll>(*this, flat, slices);
}

std::vector<at::Tensor> MpiCollectives::do_all_to_all_slices(
    const at::Tensor& flat, const std::vector<Range>& slices) const {
    if (!flat.is_cpu()) {
        auto pieces = do_all_to_all_slices(packed_on_host(flat, slices), packed(slices));
        for (at::Tensor& piece : pieces) piece = piece.to(flat.device());
        return pieces;
    }
    auto pieces = at_once(*do_begin_all_to_all_slices(flat, slices));
    at::Tensor& mine = pieces[static_cast<std::size_t>(index(rank()))];
    mine = mine.clone();
    return pieces;
}

std::unique_ptr<Gathering> MpiCollectives::do_begin_all_gather_slices(
    const at::Tensor& flat, const std::vector<Range>& slices) const {
    return std::make_unique<MpiGathering>(*this, flat, slices);
}

void MpiCollectives::drain() const {
    mailbox_.drain();
    tags_.restart();
}

}  // namespace civitas::comm
