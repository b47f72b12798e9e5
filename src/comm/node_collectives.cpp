#include "civitas/comm/node_collectives.hpp"

#include "node_windows.hpp"
#include "waiting.hpp"

#include <ATen/ops/empty_like.h>

namespace civitas::comm {
namespace {

constexpr Tag of_buffers{0};
constexpr Tag of_node_tensors{1};

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

}  // namespace

NodeMap nodes_of(const Communicator& ranks, int node) { return NodeMap(ranks.all_gather(node)); }

/// Of a node tensor: what other nodes send here arrives where it is kept.
class NodeCollectives::NodeGathering final : public Gathering {
public:
    NodeGathering(const NodeCollectives& by, const at::Tensor& flat,
                  const std::vector<Range>& slices)
        : Gathering(by), by_(by) {
        for (const Rank sender : by.senders_)
            by.between_nodes_.post_receive(
                sender, of_node_tensors,
                part(flat, slices.at(static_cast<std::size_t>(index(sender)))));
        for (const Rank receiver : by.receivers_)
            by.between_nodes_.send(receiver, of_node_tensors, part(flat, by.own(slices)));
    }

private:
    void do_wait() override {
        for (const Rank sender : by_.senders_)
            (void)by_.between_nodes_.wait(sender, of_node_tensors);
        by_.meet_node();
    }
    void do_finish() override { by_.between_nodes_.flush(); }

    const NodeCollectives& by_;
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
    const NodeWindow* const window = windows_->of(flat);
    if (window == nullptr) return messages_.all_to_all_slices(flat, slices);
    const at::Tensor mine = part(flat, own(slices));
    std::vector<at::Tensor> pieces(static_cast<std::size_t>(size()));
    for (const Rank other : beyond_) {
        at::Tensor& piece = pieces[static_cast<std::size_t>(other)] = at::empty_like(mine);
        between_nodes_.post_receive(other, of_buffers, piece);
    }
    for (const Rank other : beyond_)
        between_nodes_.send(other, of_buffers,
                            part(flat, slices.at(static_cast<std::size_t>(other))));
    meet_node();
    Rank in_node{0};
    for (const Rank near : nodes_.beside(rank())) {
        pieces[static_cast<std::size_t>(near)] = like_place(*window, in_node, mine);
        in_node = next(in_node);
    }
    for (const Rank other : beyond_) (void)between_nodes_.wait(other, of_buffers);
    between_nodes_.flush();
    return pieces;
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
}

void NodeCollectives::meet_node() const {
    barrier_.arrive();
    while (const auto whom = barrier_.missing()) {
        const Waiting waiting(node_, *whom);
        for (int polls = 0; barrier_.missing() == whom; ++polls) {
            messages_.progress();
            between_nodes_.progress();
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
