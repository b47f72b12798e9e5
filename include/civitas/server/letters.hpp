#pragma once
/// Messages between servers and workers, of which nobody knows who sends the next one.
#include "civitas/comm/mpi_point_to_point.hpp"
#include "civitas/schedule/step_graph.hpp"
#include "civitas/server/work_queue.hpp"

#include <ATen/core/Tensor.h>
#include <optional>

namespace civitas::server {

/// The rank that says what is to be done.
inline constexpr Rank root{0};

/// What a message is. Those with arrays of a net have a number for each net.
enum class Subject {
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
struct Head {
    std::int64_t what = 0;  ///< one of several, as the subject has it
    WorkItem item = {};
    std::int64_t version = 0;  ///< updates of the net
    std::int64_t worker = 0;
    std::int64_t rest[3] = {};
};
static_assert(sizeof(Head) == 64);

/// A message: its head, and numbers behind it.
class Letter {
public:
    /// With room for numbers of so many bytes.
    explicit Letter(const Head& head, std::int64_t bytes = 0);
    /// As it has come.
    explicit Letter(at::Tensor whole) : whole_(std::move(whole)) {}

    [[nodiscard]] const Head& head() const {
        return *reinterpret_cast<const Head*>(whole_.const_data_ptr());
    }
    [[nodiscard]] const at::Tensor& whole() const noexcept { return whole_; }
    /// The numbers, flat, which may be written to.
    [[nodiscard]] at::Tensor numbers(at::ScalarType type) const;

private:
    at::Tensor whole_;  ///< bytes
};

/// The letter box of a rank.
class Letters {
public:
    /// Collective.
    explicit Letters(const comm::Communicator& ranks) : post_(ranks) {}

    void send(Rank to, Subject subject, const Letter& letter, schedule::NetId net = {}) {
        post_.send(to, tag_of(subject, net), letter.whole());
    }
    /// Expects letters from a rank, one after the other, with numbers of so many bytes each.
    void listen(Rank from, Subject subject, std::int64_t bytes = 0, schedule::NetId net = {});
    /// The next of them, if it has come.
    [[nodiscard]] std::optional<Letter> take(Rank from, Subject subject, schedule::NetId net = {});
    void progress() { post_.progress(); }
    /// Whether all letters of a subject have left this rank.
    [[nodiscard]] bool have_left(Subject subject, schedule::NetId net) {
        return post_.has_left(tag_of(subject, net));
    }

private:
    [[nodiscard]] static comm::Tag tag_of(Subject subject, schedule::NetId net) {
        constexpr int most_nets = 16;
        return comm::Tag{static_cast<int>(subject) * most_nets + static_cast<int>(net)};
    }

    comm::MpiPointToPoint post_;
    std::map<std::pair<Rank, comm::Tag>, std::int64_t> expected_;  ///< bytes
};

}  // namespace civitas::server
