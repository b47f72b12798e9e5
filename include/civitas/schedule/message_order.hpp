#pragma once
/// One order of the messages of a table, for transports that carry them one at a time.
#include "civitas/schedule/schedule.hpp"

#include <cstddef>
#include <map>
#include <vector>

namespace civitas::schedule {

/// How many actions ahead of their turn messages are expected, by transports where they may come in
/// any order; gather and release are not counted.
inline constexpr std::size_t message_window = 8;

/// A message as one of its ends sees it.
struct Message {
    bool leaves = false;    ///< this end sends it
    Action made;            ///< the action whose result it is, as producer_of_input names it
    PipeCoordinate peer{};  ///< where the other end is
    friend bool operator==(const Message&, const Message&) = default;
};

/// What a coordinate sends and receives, in order.
struct MessageOrder {
    std::vector<Message> messages;
    /// How many of the coordinate's messages stand before each of its actions; not of gather and
    /// release, which may come again and again.
    std::map<Action, std::size_t> before;
};

/// Makes, for each coordinate, its part of one order of all messages and actions. The table is run
/// in rounds: in each, a coordinate does its next action if what that needs was done in earlier
/// rounds, and a net is reduced when that is next everywhere, since all ranks meet there. A message
/// stands at the round and the coordinate of the action that made it.
///
/// Who issues, before each of its actions, all messages that stand before it, and what the action
/// made right after it, cannot wait in a circle, even if a message only moves when both ends have
/// come to it: of all that is not done, the first waits for nothing. Its two ends have done all
/// that stands before it there, and whoever is further ahead has issued it.
///
/// Every rank of a mesh finds the same order. `micro_batches`: of a rank. Precondition: the
/// schedule has been checked. Throws UsageError for a table in which the ranks cannot meet in a
/// reduction, as when a net is held by some coordinates only.
[[nodiscard]] std::vector<MessageOrder> message_order(const Schedule& schedule,
                                                      const StageCounts& stages,
                                                      std::int64_t micro_batches);

}  // namespace civitas::schedule
