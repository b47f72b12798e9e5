#pragma once
/// Weights on servers, on paper: what a rank keeps and sends beside what it computes.
#include "civitas/base/node_map.hpp"
#include "civitas/base/server_roles.hpp"
#include "civitas/planner/layer_costs.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace civitas::planner {

/// A rank of a job in which servers keep the weights and workers make parts of steps.
struct ServedModel {
    ServerRoles roles{1, 0};
    Rank me{};
    std::int64_t parts = 1;  ///< of a step
    std::int64_t max_staleness = 0;
    /// Whether a part waits, in its midst, for an update that needs all parts of its step.
    bool waits_within = false;
    NodeMap nodes = NodeMap::filled(1, 1);  ///< of all ranks

    /// Whether it is the rank that hands out parts and saves the state of all servers.
    [[nodiscard]] bool is_root() const { return me == Rank{}; }
    [[nodiscard]] bool works() const { return roles.works(me); }
    [[nodiscard]] bool serves() const { return roles.serves(me); }
    [[nodiscard]] std::int64_t busy_workers() const {
        return std::min<std::int64_t>(parts, roles.workers());
    }
    /// Those that have parts to make, of the steps that may be under way together.
    [[nodiscard]] std::int64_t workers_at_once() const {
        return std::min<std::int64_t>(roles.workers(), parts * (max_staleness + 1));
    }
    /// Of a step, where all workers are as quick: those of the one that makes most.
    [[nodiscard]] std::int64_t parts_of_worker() const {
        return (parts + roles.workers() - 1) / roles.workers();
    }
    /// Parts that this rank has begun and not ended, at most: who waits within one, while parts of
    /// the step are left, makes another.
    [[nodiscard]] std::int64_t parts_at_once() const {
        if (!works()) return 0;
        return waits_within ? parts_of_worker() : 1;
    }
};

/// A net whose weights servers keep.
struct ServedNet {
    const net::NetDescription& description;
    schedule::LeafCounts leaves;  ///< of a part of a step
    OptimizerArrays kept;
    ValueBytes values;
    bool awaited = false;  ///< whether what comes after its update in a step computes with it
};

/// What a rank keeps of a net from step to step, where it would keep `own` if it were alone: its
/// copy of the weights; as a worker sums of gradients; as a server a slice of weights, moments and
/// mean, and gradients that wait for those of the other parts of their steps; as the root moments
/// and mean for checkpoints. Precondition: nothing of `own` is divided or offloaded.
[[nodiscard]] NetMemory net_memory_of(const ServedModel& served, const ServedNet& net,
                                      NetMemory own);
/// Arrays in messages that a rank stands ready for at all times, bytes: one from each rank that may
/// send such a one.
[[nodiscard]] std::int64_t expected_bytes(const ServedModel& served, const ServedNet& net);
/// At most so many bytes of messages that a rank has made or taken and not yet let go: gradients
/// of a part, and weights for all workers at once, or the state for a checkpoint.
[[nodiscard]] std::int64_t passing_bytes(const ServedModel& served, const ServedNet& net);
/// Bytes of messages with which the root shares what the run begins with, of all nets at once.
[[nodiscard]] std::int64_t published_bytes(const ServedModel& served, const ServedNet& net);

/// How often a worker gets the weights of a net for a part. Without staleness it has those of an
/// awaited net from the step before, and gets others once a step, for the next one.
[[nodiscard]] int pulls_of_part(const ServedModel& served, bool awaited);

/// Bytes that a rank sends to others in a step that is neither the first nor behind a rest.
struct ServedTraffic {
    std::int64_t gradients = 0;  ///< as a worker that makes as many parts as any
    std::int64_t weights = 0;    ///< as a server, to workers that ask for them
    [[nodiscard]] std::int64_t sum() const { return gradients + weights; }
    ServedTraffic& operator+=(const ServedTraffic& other) {
        gradients += other.gradients;
        weights += other.weights;
        return *this;
    }
};
/// The arrays alone, without what messages begin with and what orders are given by.
[[nodiscard]] ServedTraffic traffic_of(const ServedModel& served, const ServedNet& net);
/// Likewise, of each rank of the job.
[[nodiscard]] std::vector<ServedTraffic> traffic_of_ranks(ServedModel served, const ServedNet& net);
/// Of the ranks that send most of either.
[[nodiscard]] std::string in_words(const ServedTraffic& most);

}  // namespace civitas::planner
