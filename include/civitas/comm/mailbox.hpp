#pragma once
/// Tensors on their way between the ranks of an axis while both ends go on computing.
#include "civitas/comm/communicator.hpp"

#include <ATen/core/Tensor.h>
#include <map>
#include <utility>
#include <vector>

namespace civitas::comm {

/// Tells apart messages between the same two ranks. Equal tags arrive in the order they left.
enum class Tag : int {};

/// Messages between ranks of one communicator. Nothing moves by itself: MPI without a progress
/// thread carries messages only inside its calls, so whoever computes should poll().
class Mailbox {
public:
    /// Collective: messages travel on a duplicate of `ranks`.
    explicit Mailbox(const Communicator& ranks);
    Mailbox(const Mailbox&) = delete;
    Mailbox& operator=(const Mailbox&) = delete;
    Mailbox(Mailbox&&) = delete;
    Mailbox& operator=(Mailbox&&) = delete;
    /// Gives up what has not arrived.
    ~Mailbox();

    /// Starts a message and returns. The tensor, dense in its memory, is kept until it has left.
    /// What lies on a device travels by host memory: its work there is waited for.
    void send(Rank to, Tag tag, const at::Tensor& data);
    /// Announces a message of exactly the bytes of `room`, dense, which must stay untouched until
    /// take(). One at a time for each rank and tag. Ends of a message may lie on unlike devices.
    void expect(Rank from, Tag tag, at::Tensor room);
    [[nodiscard]] bool expects(Rank from, Tag tag) const;
    /// Waits for an announced message while moving all others.
    [[nodiscard]] at::Tensor take(Rank from, Tag tag);
    /// Moves everything that can move, without waiting.
    void poll();
    /// Waits until everything sent has left.
    void flush();

    /// Seconds spent in take() and flush() so far.
    [[nodiscard]] double waited() const noexcept { return waited_; }
    [[nodiscard]] std::int64_t bytes_sent() const noexcept;
    /// What went to and was waited for from each rank so far.
    struct Traffic {
        std::int64_t bytes_sent = 0;
        double waited_s = 0;
    };
    [[nodiscard]] const std::map<Rank, Traffic>& traffic() const noexcept { return traffic_; }

private:
    /// A tensor in host memory, the pieces it travels in, and its room where that is a device's.
    struct Transfer {
        at::Tensor data;
        std::vector<MPI_Request> pieces;
        at::Tensor room;
    };
    using Address = std::pair<Rank, Tag>;

    [[nodiscard]] static bool completed(Transfer& transfer);

    Communicator ranks_;
    std::vector<Transfer> leaving_;
    std::map<Address, Transfer> coming_;
    double waited_ = 0;
    std::map<Rank, Traffic> traffic_;
};

}  // namespace civitas::comm
