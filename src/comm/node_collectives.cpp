#include "civitas/comm/node_collectives.hpp"

#include "civitas/comm/waiting.hpp"
#include "node_windows.hpp"

#include <ATen/ops/empty_like.h>
#include <utility>

namespace civitas::comm {
namespace {

/// A gathering of what lies in memory of this process alone, told as one of NodeCollectives.
class ForwardedGathering final : public Gathering {
public:
    ForwardedGathering(const NodeCollectives& by, std::unique_ptr<Gathering> gathering)
        : Gathering(by), gathering_(std::move(gathering)) {}

private:
    void do_wait() override { gathering_->wait(); }
    void do_finish() override { gathering_->finish(); }

    std::unique_ptr<Gathering> gathering_;
};

/// The same of an exchange.
class ForwardedAllToAll final : public AllToAll {
public:
    ForwardedAllToAll(const NodeCollectives& by, std::unique_ptr<AllToAll> exchange)
        : AllToAll(by), exchange_(std::move(exchange)) {}

private:
    void do_start() override { exchange_->start(); }
    [[nodiscard]] bool do_is_there() override { return exchange_->is_there(); }
    [[nodiscard]] std::vector<at::Tensor> do_wait() override { return exchange_->wait(); }

    std::unique_ptr<AllToAll> exchange_;
};

}  // namespace

NodeMap nodes_of(const Communicator& ranks, int node) { return NodeMap(ranks.all_gather(node)); }

/// Of a node tensor: what other nodes send here arrives where it is kept.
class NodeCollectives::NodeGathering final : public Gathering {
public:
    NodeGathering(const NodeCollectives& by, const at::Tensor& flat,
                  const std::vector<Range>& slices)
        : Gathering(by), by_(by), tag_(by.tags_.next()) {
        for (const Rank sender : by.senders_)
            by.between_nodes_.post_receive(
                sender, tag_, part(flat, slices.at(static_cast<std::size_t>(index(sender)))));
        for (const Rank receiver : by.receivers_)
            by.between_nodes_.send(receiver, tag_, part(flat, by.own(slices)));
    }

private:
    void do_wait() override {
        for (const Rank sender : by_.senders_) (void)by_.between_nodes_.wait(sender, tag_);
        by_.do_wait_for_node(by_.barrier_.arrive());
    }
    void do_finish() override { by_.between_nodes_.flush(tag_); }

    const NodeCollectives& by_;
    Tag tag_;
};

/// Of an exchange buffer. Who begins has written what the others of the node read.
class NodeCollectives::NodeAllToAll final : public AllToAll {
public:
    NodeAllToAll(const NodeCollectives& by, const NodeWindow& window, at::Tensor flat,
                 std::vector<Range> slices)
        : AllToAll(by),
          by_(by),
          window_(window),
          tag_(by.tags_.next()),
          flat_(std::move(flat)),
          slices_(std::move(slices)),
          times_(by.barrier_.arrive()) {}

private:
    void do_start() override {
        const at::Tensor own = part(flat_, by_.own(slices_));
        for (const Rank other : by_.beyond_)
            by_.between_nodes_.post_receive(other, tag_, at::empty_like(own));
        for (const Rank other : by_.beyond_)
            by_.between_nodes_.send(other, tag_,
                                    part(flat_, slices_.at(static_cast<std::size_t>(other))));
    }
    [[nodiscard]] bool do_is_there() override {
        for (const Rank other : by_.beyond_)
            if (!by_.between_nodes_.is_there(other, tag_)) return false;
        return by_.between_nodes_.has_left(tag_) && !by_.barrier_.missing(times_);
    }
    [[nodiscard]] std::vector<at::Tensor> do_wait() override {
        std::vector<at::Tensor> pieces(static_cast<std::size_t>(by_.size()));
        by_.do_wait_for_node(times_);
        const at::Tensor own = part(flat_, by_.own(slices_));
        Rank in_node{0};
        for (const Rank near : by_.nodes_.beside(by_.rank())) {
            pieces[static_cast<std::size_t>(near)] = like_place(window_, in_node, own);
            in_node = next(in_node);
        }
        for (const Rank other : by_.beyond_)
            pieces[static_cast<std::size_t>(other)] = by_.between_nodes_.wait(other, tag_);
        by_.between_nodes_.flush(tag_);
        return pieces;
    }

    const NodeCollectives& by_;
    NodeWindow window_;
    Tag tag_;
    at::Tensor flat_;
    std::vector<Range> slices_;
    NodeArrival times_;
};

NodeCollectives::NodeCollectives(const Communicator& ranks, int node, const Revocation& revocation)
    : TensorCollectives(ranks),
      nodes_(nodes_of(ranks, node)),
      node_(ranks.split(nodes_.node_of(ranks.rank()), index(ranks.rank()))),
      messages_(ranks, &revocation),
      revocation_(revocation),
      windows_(std::make_shared<NodeWindows>()),
      between_nodes_(ranks, &revocation),
      barrier_(node_, memory_of_group(node_, NodeBarrier::bytes_for(node_.size()))) {
    for (const Rank other : each<Rank>(size())) {
        if (nodes_.together(rank(), other)) continue;
        beyond_.push_back(other);
        if (receiver_beside(rank(), other) == rank()) senders_.push_back(other);
        if (receiver_beside(other, rank()) == other) receivers_.push_back(other);
    }
}

at::Tensor NodeCollectives::exchange_buffer(std::int64_t elements, at::ScalarType type) const {
    return NodeWindows::zeros(windows_, node_, node_.size(), elements, type);
}

at::Tensor NodeCollectives::node_tensor(std::int64_t elements, at::ScalarType type) const {
    return NodeWindows::zeros(windows_, node_, 1, elements, type);
}

std::vector<at::Tensor> NodeCollectives::do_all_to_all_slices(
    const at::Tensor& flat, const std::vector<Range>& slices) const {
    if (windows_->of(flat) == nullptr) return messages_.all_to_all_slices(flat, slices);
    return at_once(*do_begin_all_to_all_slices(flat, slices));
}

std::unique_ptr<AllToAll> NodeCollectives::do_begin_all_to_all_slices(
    const at::Tensor& flat, const std::vector<Range>& slices) const {
    if (const NodeWindow* const window = windows_->of(flat))
        return std::make_unique<NodeAllToAll>(*this, *window, flat, slices);
    return std::make_unique<ForwardedAllToAll>(*this,
                                               messages_.begin_all_to_all_slices(flat, slices));
}

std::unique_ptr<Gathering> NodeCollectives::do_begin_all_gather_slices(
    const at::Tensor& flat, const std::vector<Range>& slices) const {
    if (windows_->of(flat) != nullptr) return std::make_unique<NodeGathering>(*this, flat, slices);
    return std::make_unique<ForwardedGathering>(*this,
                                                messages_.begin_all_gather_slices(flat, slices));
}

void NodeCollectives::drain() const {
    messages_.drain();
    between_nodes_.drain();
    barrier_.reset(node_);
    tags_.restart();
}

void NodeCollectives::do_wait_for_node(NodeArrival arrival) const {
    while (const auto whom = barrier_.missing(arrival)) {
        const Waiting waiting(node_, *whom);
        for (int polls = 0; barrier_.missing(arrival) == whom; ++polls) {
            progress();
            revocation_.check();
            rest(polls);
        }
    }
}

Rank NodeCollectives::receiver_beside(Rank other, Rank sender) const {
    const auto receivers = nodes_.beside(other);
    return receivers[nodes_.place_on_node(sender) % receivers.size()];
}

}  // namespace civitas::comm
