#pragma once
/// Slices of tensors exchanged between the ranks of an axis. What is added up is added by the
/// caller, so the way tensors travel does not change a bit.
#include "civitas/base/node_map.hpp"
#include "civitas/base/timeline.hpp"
#include "civitas/comm/mpi_point_to_point.hpp"
#include "civitas/comm/node_barrier.hpp"
#include "civitas/comm/tags.hpp"

#include <ATen/core/Tensor.h>
#include <memory>
#include <vector>

namespace civitas::comm {

/// A slice of a flat tensor's elements, as a view of them.
[[nodiscard]] at::Tensor part(const at::Tensor& flat, Range slice);

class TensorCollectives;

/// An all_gather_slices that has been begun. Who drops one that is not finished has given it up:
/// its tensor is kept where messages may still arrive.
class Gathering {
public:
    Gathering(const Gathering&) = delete;
    Gathering& operator=(const Gathering&) = delete;
    Gathering(Gathering&&) = delete;
    Gathering& operator=(Gathering&&) = delete;
    virtual ~Gathering() = default;

    /// Waits, once, until the slices of all ranks are there; whatever is computed next may use
    /// them.
    void wait();
    /// After wait(): waits until this rank's slice has left for all others, so that its memory is
    /// used by nobody.
    void finish();

protected:
    explicit Gathering(const TensorCollectives& by) : by_(by) {}

private:
    friend class TensorCollectives;
    virtual void do_wait() = 0;
    virtual void do_finish() = 0;

    const TensorCollectives& by_;
};

/// An all_to_all_slices that has been begun. Who drops one that is not finished has given it up:
/// its tensors are kept where messages may still arrive.
class AllToAll {
public:
    AllToAll(const AllToAll&) = delete;
    AllToAll& operator=(const AllToAll&) = delete;
    AllToAll(AllToAll&&) = delete;
    AllToAll& operator=(AllToAll&&) = delete;
    virtual ~AllToAll() = default;

    /// Takes the memory of what comes and posts the messages, at any time: a rank that has begun
    /// many of them has as many on their way as it has room for. All do so in one order.
    void start();
    /// Whether wait() would wait for nobody.
    [[nodiscard]] bool is_there() { return started_ && do_is_there(); }
    /// Waits, once, until what comes has come and what goes has gone; starts it where nobody has.
    /// Returns the own slice of each rank's tensor, in rank order, the own one where it lies.
    [[nodiscard]] std::vector<at::Tensor> wait();

protected:
    explicit AllToAll(const TensorCollectives& by) : by_(by) {}

private:
    virtual void do_start() = 0;
    [[nodiscard]] virtual bool do_is_there() = 0;
    [[nodiscard]] virtual std::vector<at::Tensor> do_wait() = 0;

    friend class TensorCollectives;
    const TensorCollectives& by_;
    bool started_ = false;
};

class TensorCollectives {
public:
    /// Duplicates `ranks`. Collective.
    explicit TensorCollectives(const Communicator& ranks) : ranks_(ranks.dup()) {}
    TensorCollectives(const TensorCollectives&) = delete;
    TensorCollectives& operator=(const TensorCollectives&) = delete;
    TensorCollectives(TensorCollectives&&) = delete;
    TensorCollectives& operator=(TensorCollectives&&) = delete;
    virtual ~TensorCollectives() = default;

    [[nodiscard]] const Communicator& ranks() const noexcept { return ranks_; }
    [[nodiscard]] Rank rank() const noexcept { return ranks_.rank(); }
    [[nodiscard]] int size() const noexcept { return ranks_.size(); }

    /// Direct exchange: rank j gets slice j, in elements, of everybody's flat tensor. Returns the
    /// own slice of each rank's, in rank order, where `flat` lies; the caller may write to them.
    /// Pieces of an exchange_buffer() lie where their owners have them, who until the next exchange
    /// write to nothing of it but their own slice. The slices are the same on all ranks.
    /// Collective.
    [[nodiscard]] std::vector<at::Tensor> all_to_all_slices(const at::Tensor& flat,
                                                            const std::vector<Range>& slices) const;
    /// Begins the same and returns. Until it is there the own slice must stay untouched, and no
    /// slice be written to; several may be on their way. All ranks begin them in one order, and
    /// wait for them in that order. Collective.
    [[nodiscard]] std::unique_ptr<AllToAll> begin_all_to_all_slices(
        const at::Tensor& flat, const std::vector<Range>& slices) const;
    /// Every rank brings its own slice of `flat` up to date; afterwards all have the whole. Of a
    /// node_tensor() nobody reads or writes other slices meanwhile. Collective.
    void all_gather_slices(const at::Tensor& flat, const std::vector<Range>& slices) const;
    /// Begins the same and returns; it goes on while this process computes and polls progress().
    /// Until it has been finished `flat`, which is kept, must stay untouched. Several may be on
    /// their way: all ranks begin them in one order, and may end them in any. Collective.
    [[nodiscard]] std::unique_ptr<Gathering> begin_all_gather_slices(
        const at::Tensor& flat, const std::vector<Range>& slices) const;
    /// Which of the ranks share memory; null where none do.
    [[nodiscard]] virtual const NodeMap* nodes() const noexcept { return nullptr; }
    /// Zeros of this rank, flat, which exchanges hand to ranks of its node without copying, as NCCL
    /// does with registered buffers. Collective, and so is its end; throws Error where there is no
    /// room on this node. Precondition: some share memory.
    [[nodiscard]] virtual at::Tensor exchange_buffer(std::int64_t elements,
                                                     at::ScalarType type) const;
    /// Zeros, flat, that all ranks of a node have once, whose gatherings end in the order in which
    /// they were begun. Collective, and so is its end; throws Error where there is no room on this
    /// node. Precondition: some share memory.
    [[nodiscard]] virtual at::Tensor node_tensor(std::int64_t elements, at::ScalarType type) const;

    /// Says to the other ranks of this node that this one has come so far, and returns.
    /// Precondition: some share memory.
    [[nodiscard]] virtual NodeArrival arrive_on_node() const;
    /// Waits until all have come as often, done with what was before. Throws Revoked, too.
    void wait_for_node(NodeArrival arrival) const;

    /// Moves what has been begun as far as it can move without waiting.
    virtual void progress() const {}

    /// Whether a rank that waits for another in an exchange throws Revoked when one has failed.
    [[nodiscard]] virtual bool is_revocable() const noexcept { return false; }
    /// Ends what some ranks have left unfinished, once all have given up what they did. Collective.
    virtual void drain() const {}

    /// Seconds that this process has spent in exchanges so far: sending, receiving, waiting. On a
    /// GPU the exchange is only handed over in that time.
    [[nodiscard]] double seconds() const noexcept { return seconds_; }
    /// Writes every exchange down as a span of this kind until it is told null. The timeline
    /// outlives that.
    void record_to(Timeline* timeline, Talk kind) const noexcept {
        timeline_ = timeline;
        kind_ = kind;
    }

    [[nodiscard]] Range own(const std::vector<Range>& slices) const {
        return slices.at(static_cast<std::size_t>(index(rank())));
    }

protected:
    /// Where a backend does not say otherwise all of it happens in wait().
    [[nodiscard]] virtual std::unique_ptr<AllToAll> do_begin_all_to_all_slices(
        const at::Tensor& flat, const std::vector<Range>& slices) const;
    /// What is begun and waited for in one go, in time that the caller counts.
    [[nodiscard]] static std::vector<at::Tensor> at_once(AllToAll& exchange) {
        exchange.do_start();
        return exchange.do_wait();
    }

private:
    [[nodiscard]] virtual std::vector<at::Tensor> do_all_to_all_slices(
        const at::Tensor& flat, const std::vector<Range>& slices) const = 0;
    [[nodiscard]] virtual std::unique_ptr<Gathering> do_begin_all_gather_slices(
        const at::Tensor& flat, const std::vector<Range>& slices) const = 0;
    virtual void do_wait_for_node(NodeArrival arrival) const;
    friend class AllToAll;
    friend class Gathering;
    friend class WaitingAllToAll;
    void count(double seconds) const;

    Communicator ranks_;
    // What has been measured is no part of what an exchange is.
    mutable double seconds_ = 0;
    mutable Timeline* timeline_ = nullptr;
    mutable Talk kind_{};
};

/// Exchanges by MPI; what lies on a device goes through host memory.
class MpiCollectives final : public TensorCollectives {
public:
    /// Duplicates `ranks`. Collective. Who waits for another rank throws Revoked when one has
    /// revoked; then all ranks drain(). Until that messages may arrive in the tensors of an
    /// exchange that was left, which are kept, but must own their memory.
    explicit MpiCollectives(const Communicator& ranks, const Revocation* revocation = nullptr)
        : TensorCollectives(ranks),
          revocable_(revocation != nullptr),
          mailbox_(ranks, revocation) {}
    [[nodiscard]] bool is_revocable() const noexcept override { return revocable_; }
    void drain() const override;
    void progress() const override { mailbox_.progress(); }

private:
    class MpiAllToAll;
    class MpiGathering;
    [[nodiscard]] std::vector<at::Tensor> do_all_to_all_slices(
        const at::Tensor& flat, const std::vector<Range>& slices) const override;
    [[nodiscard]] std::unique_ptr<AllToAll> do_begin_all_to_all_slices(
        const at::Tensor& flat, const std::vector<Range>& slices) const override;
    [[nodiscard]] std::unique_ptr<Gathering> do_begin_all_gather_slices(
        const at::Tensor& flat, const std::vector<Range>& slices) const override;
    /// The rank that is `distance` further than this one, in a circle.
    [[nodiscard]] Rank beside(int distance) const;

    bool revocable_;
    mutable MpiPointToPoint mailbox_;  ///< of what is on its way, each under a tag of its own
    mutable TagSequence tags_;
};

}  // namespace civitas::comm
