#pragma once
/// Exchanges between ranks of which some share memory.
#include "civitas/base/node_map.hpp"
#include "civitas/comm/collectives.hpp"
#include "civitas/comm/node_barrier.hpp"

namespace civitas::comm {

/// The tensors that lie in memory of a node, by their addresses.
class NodeWindows;

/// Within a node, exchange buffers are read where they lie, and a node tensor is there once: an
/// exchange is but a barrier. Between nodes slices travel by MPI: of a buffer each to its owner, of
/// a node tensor once to each node. What lies in no such memory goes as by MpiCollectives.
class NodeCollectives final : public TensorCollectives {
public:
    /// `node`: a number that the node of this rank alone has. Collective. Revocable, and to be
    /// drained, as MpiCollectives are with a revocation, which must outlive them.
    NodeCollectives(const Communicator& ranks, int node, const Revocation& revocation);

    [[nodiscard]] const NodeMap* nodes() const noexcept override { return &nodes_; }
    [[nodiscard]] at::Tensor exchange_buffer(std::int64_t elements,
                                             at::ScalarType type) const override;
    [[nodiscard]] at::Tensor node_tensor(std::int64_t elements, at::ScalarType type) const override;
    [[nodiscard]] NodeArrival arrive_on_node() const override { return barrier_.arrive(); }

    [[nodiscard]] bool is_revocable() const noexcept override { return messages_.is_revocable(); }
    void drain() const override;
    void progress() const override {
        messages_.progress();
        between_nodes_.progress();
    }

private:
    class NodeAllToAll;
    class NodeGathering;
    [[nodiscard]] std::vector<at::Tensor> do_all_to_all_slices(
        const at::Tensor& flat, const std::vector<Range>& slices) const override;
    [[nodiscard]] std::unique_ptr<AllToAll> do_begin_all_to_all_slices(
        const at::Tensor& flat, const std::vector<Range>& slices) const override;
    [[nodiscard]] std::unique_ptr<Gathering> do_begin_all_gather_slices(
        const at::Tensor& flat, const std::vector<Range>& slices) const override;

    void do_wait_for_node(NodeArrival arrival) const override;
    /// The rank on the node of `other` that gets slices of node tensors from `sender`.
    [[nodiscard]] Rank receiver_beside(Rank other, Rank sender) const;

    NodeMap nodes_;                ///< of the ranks of this axis
    std::vector<Rank> beyond_;     ///< ranks on other nodes
    std::vector<Rank> senders_;    ///< of them, who send their slices of node tensors here
    std::vector<Rank> receivers_;  ///< of them, who get this rank's
    Communicator node_;
    MpiCollectives messages_;
    const Revocation& revocation_;
    std::shared_ptr<NodeWindows> windows_;
    /// Of what is on its way between nodes, each under a tag of its own.
    mutable MpiPointToPoint between_nodes_;
    mutable TagSequence tags_;
    mutable NodeBarrier barrier_;
};

/// The nodes of the ranks of a communicator; `node`: as above. Collective.
[[nodiscard]] NodeMap nodes_of(const Communicator& ranks, int node);

}  // namespace civitas::comm
