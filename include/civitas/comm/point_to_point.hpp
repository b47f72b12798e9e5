#pragma once
/// Tensors on their way between the ranks of an axis while both ends go on computing.
#include "civitas/comm/communicator.hpp"

#include <ATen/core/Tensor.h>
#include <map>

namespace civitas::comm {

/// Tells apart messages between the same two ranks. Equal tags arrive in the order they left.
enum class Tag : int {};

/// Sends tensors between ranks while both compute. No asynchronous progress: messages may move only
/// inside progress(), wait() and flush(). Call progress() while computing.
class PointToPoint {
public:
    PointToPoint() = default;
    PointToPoint(const PointToPoint&) = delete;
    PointToPoint& operator=(const PointToPoint&) = delete;
    PointToPoint(PointToPoint&&) = delete;
    PointToPoint& operator=(PointToPoint&&) = delete;
    /// Gives up what has not arrived.
    virtual ~PointToPoint() = default;

    /// Starts a message and returns. The tensor, dense in its memory, is kept until it has left.
    virtual void send(Rank to, Tag tag, const at::Tensor& data) = 0;
    /// Announces a message of exactly the bytes of `buffer`, dense, which must stay untouched until
    /// wait(). One at a time for each rank and tag.
    virtual void post_receive(Rank from, Tag tag, at::Tensor buffer) = 0;
    [[nodiscard]] virtual bool is_posted(Rank from, Tag tag) const = 0;
    /// Waits for an announced message and returns it; whatever is computed next may use it.
    [[nodiscard]] virtual at::Tensor wait(Rank from, Tag tag) = 0;
    /// Moves everything that can move, without waiting.
    virtual void progress() = 0;
    /// Waits until everything sent has left.
    virtual void flush() = 0;

    /// Drops messages that came and were not taken, where the ranks gave up together what they did.
    virtual void discard() = 0;
    /// Ends what was sent and announced and is still on its way, where the transport can be
    /// revoked; call once all ranks have given up what they did. Collective.
    virtual void drain() = 0;

    /// True where messages move one at a time, as send() and post_receive() were called: then the
    /// ranks must call them in one order (parallel::message_order), or wait for each other in a
    /// circle.
    [[nodiscard]] virtual bool in_order() const noexcept = 0;

    /// Seconds this process waited in wait() and flush() so far.
    [[nodiscard]] double waited() const noexcept { return waited_; }
    [[nodiscard]] std::int64_t bytes_sent() const noexcept;
    /// What went to and was waited for from each rank so far.
    struct Traffic {
        std::int64_t bytes_sent = 0;
        double waited_s = 0;
    };
    [[nodiscard]] const std::map<Rank, Traffic>& traffic() const noexcept { return traffic_; }

protected:
    void count_sent(Rank to, const at::Tensor& data);
    void count_waited(Rank from, double seconds);
    void count_waited(double seconds) { waited_ += seconds; }

private:
    double waited_ = 0;
    std::map<Rank, Traffic> traffic_;
};

}  // namespace civitas::comm
