#pragma once
/// Messages between servers and workers, of which nobody knows who sends the next one.
#include "civitas/comm/mpi_point_to_point.hpp"
#include "civitas/schedule/step_graph.hpp"
#include "civitas/server/work_queue.hpp"

#include <ATen/core/Tensor.h>
#include <optional>
#include <vector>

namespace civitas::server {

/// The rank that says what is to be done.
inline constexpr Rank root{0};

/// What a message is. Those with arrays of a net have a number for each net.
enum class MessageKind {
    take,      ///< to the root: nothing to do
    order,     ///< from the root: what is to be done
    figures,   ///< to the root: of an item that has ended
    failure,   ///< to the root: words of an error
    wanted,    ///< to a server: weights or state of a net, as soon as it has so many updates
    gradient,  ///< to a server: of a part of a step
    weights,   ///< from a server
    state,     ///< from a server to the root: weights, moments, mean
    load,      ///< from the root to a server: the same
};

/// The begin of every message.
struct Envelope {
    std::int64_t what = 0;  ///< one of several, as the kind has it
    WorkItem item = {};
    std::int64_t version = 0;  ///< updates of the net
    std::int64_t worker = 0;
    std::int64_t reserved[3] = {};
};
static_assert(sizeof(Envelope) == 64);

/// A message: its envelope, and numbers behind it.
class Message {
public:
    /// With room for numbers of so many bytes.
    explicit Message(const Envelope& envelope, std::int64_t bytes = 0);
    /// As it has come.
    explicit Message(at::Tensor whole) : whole_(std::move(whole)) {}

    [[nodiscard]] const Envelope& envelope() const {
        return *reinterpret_cast<const Envelope*>(whole_.const_data_ptr());
    }
    [[nodiscard]] const at::Tensor& whole() const noexcept { return whole_; }
    /// With the numbers of these tensors, one after the other, as `type`.
    Message(const Envelope& envelope, at::ScalarType type, const std::vector<at::Tensor>& tensors);
    /// Copies the numbers, of `type`, to these tensors, one after the other.
    void copy_to(const std::vector<at::Tensor>& tensors, at::ScalarType type) const;
    /// The numbers, flat, which may be written to.
    [[nodiscard]] at::Tensor numbers(at::ScalarType type) const;

private:
    at::Tensor whole_;  ///< bytes
};

/// What a rank sends and gets.
class Endpoint {
public:
    /// Collective.
    explicit Endpoint(const comm::Communicator& ranks) : post_(ranks) {}

    void send(Rank to, MessageKind kind, const Message& message, schedule::NetId net = {}) {
        post_.send(to, tag_of(kind, net), message.whole());
    }
    /// Expects messages from a rank, one after the other, with numbers of so many bytes each.
    void listen(Rank from, MessageKind kind, std::int64_t bytes = 0, schedule::NetId net = {});
    /// The next of them, if it has come.
    [[nodiscard]] std::optional<Message> take(Rank from, MessageKind kind,
                                              schedule::NetId net = {});
    /// Of the arrays of a net in all messages that are expected, without their envelopes.
    [[nodiscard]] std::int64_t expected_bytes(schedule::NetId net) const;
    void progress() { post_.progress(); }
    /// Whether all messages of a kind have left this rank.
    [[nodiscard]] bool have_left(MessageKind kind, schedule::NetId net) {
        return post_.has_left(tag_of(kind, net));
    }

private:
    [[nodiscard]] static comm::Tag tag_of(MessageKind kind, schedule::NetId net) {
        constexpr int most_nets = 16;
        return comm::Tag{static_cast<int>(kind) * most_nets + static_cast<int>(net)};
    }

    comm::MpiPointToPoint post_;
    std::map<std::pair<Rank, comm::Tag>, std::int64_t> expected_;  ///< bytes
};

}  // namespace civitas::server
