#pragma once
/// Messages by MPI, in any order.
#include "civitas/comm/point_to_point.hpp"
#include "civitas/comm/revocation.hpp"

#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace civitas::comm {

/// Messages between ranks of one communicator. MPI without a progress thread carries messages only
/// inside its calls. What lies on a device travels by host memory: send() waits for its work there,
/// and the ends of a message may lie on unlike devices.
class MpiPointToPoint final : public PointToPoint {
public:
    /// Collective: messages travel on a duplicate of `ranks`. wait() and flush() throw Revoked when
    /// a rank has revoked; nothing of what they waited for is lost before drain().
    explicit MpiPointToPoint(const Communicator& ranks, const Revocation* revocation = nullptr);
    MpiPointToPoint(const MpiPointToPoint&) = delete;
    MpiPointToPoint& operator=(const MpiPointToPoint&) = delete;
    MpiPointToPoint(MpiPointToPoint&&) = delete;
    MpiPointToPoint& operator=(MpiPointToPoint&&) = delete;
    ~MpiPointToPoint() override;

    void send(Rank to, Tag tag, const at::Tensor& data) override;
    void post_receive(Rank from, Tag tag, at::Tensor buffer) override;
    [[nodiscard]] bool is_posted(Rank from, Tag tag) const override;
    /// Waits for an announced message while moving all others.
    [[nodiscard]] at::Tensor wait(Rank from, Tag tag) override;
    void progress() override;
    void flush() override;
    /// Whether an announced message is here, and whether everything sent under this tag has left.
    [[nodiscard]] bool is_there(Rank from, Tag tag);
    [[nodiscard]] bool has_left(Tag tag) { return !awaited_by(tag); }
    /// Waits until everything sent under this tag has left, and keeps none of it.
    void flush(Tag tag);
    /// Keeps what has been announced: it may still come.
    void discard() override {}
    void drain() override;
    [[nodiscard]] bool in_order() const noexcept override { return false; }

private:
    /// A tensor in host memory, the pieces it travels in, and its buffer where that is a device's.
    struct Transfer {
        at::Tensor data;
        std::vector<MPI_Request> pieces;
        at::Tensor buffer;
        Tag tag{};
    };
    using Address = std::pair<Rank, Tag>;

    [[nodiscard]] static bool completed(Transfer& transfer);
    static void discard_left(std::deque<Transfer>& transfers);
    /// To whom something under this tag is leaving; what has left is discarded.
    [[nodiscard]] std::optional<Rank> awaited_by(Tag tag);
    /// Moves all messages and leaves the core to others for a moment.
    void yield(int polls);
    /// What has been announced and did not come.
    void withdraw();
    void swallow(Rank from, std::int64_t pieces);

    Communicator ranks_;
    const Revocation* revocation_;
    std::vector<std::int64_t> pieces_sent_,
        pieces_received_;                           ///< to and from each rank so far
    std::map<Rank, std::deque<Transfer>> leaving_;  ///< in the order they were sent
    std::map<Address, Transfer> coming_;
};

}  // namespace civitas::comm
