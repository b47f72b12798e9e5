#pragma once
/// Seconds and bytes of layers and stages, from descriptions alone: what the simulator is given
/// when a step is planned. Times are by formula, or somebody measured them.
#include "civitas/base/offload.hpp"
#include "civitas/base/shard_level.hpp"
#include "civitas/base/update_kind.hpp"
#include "civitas/net/description.hpp"
#include "civitas/schedule/leaf_counts.hpp"
#include "civitas/schedule/simulator.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace civitas::planner {

/// Bytes of one value of an activation, and of one of weights, sums, moments and statistics.
struct ValueBytes {
    std::int64_t compute = 4;
    std::int64_t master = 4;
};

/// A way for messages between two ranks.
struct Link {
    double latency_s = 0;
    double bytes_per_second = std::numeric_limits<double>::infinity();
    [[nodiscard]] double seconds(std::int64_t messages, std::int64_t bytes) const {
        return static_cast<double>(messages) * latency_s +
               static_cast<double>(bytes) / bytes_per_second;
    }
};

/// What one rank can do.
struct Rates {
    double flops = 0;  ///< a second, in the compute type
    double bytes = 0;  ///< a second, read from or written to memory
    Link tensor = {};  ///< to the other ranks of the tensor axis
};

/// Seconds of one layer for one micro-batch.
struct LayerTimes {
    double forward_s = 0;
    double backward_input_s = 0;
    double backward_weights_s = 0;
    [[nodiscard]] double sum() const { return forward_s + backward_input_s + backward_weights_s; }
    LayerTimes& operator+=(const LayerTimes& other) {
        forward_s += other.forward_s;
        backward_input_s += other.backward_input_s;
        backward_weights_s += other.backward_weights_s;
        return *this;
    }
};

/// Times of a net's layers by formula: operations at the rate of operations, values read and
/// written at memory's, and exchanges over the link: their bytes, and the latency of a message to
/// every other rank a round.
[[nodiscard]] std::vector<LayerTimes> estimated_times(const net::NetDescription& net,
                                                      std::int64_t micro_batch, ValueBytes values,
                                                      Rates rates);

/// Times of the layers of `part`, which the tensor axis cut out of `whole`, whose layers take
/// `times`: as much of these as the formula takes less for the part. Exchanges by formula.
[[nodiscard]] std::vector<LayerTimes> times_of_part(const net::NetDescription& whole,
                                                    std::span<const LayerTimes> times,
                                                    const net::NetDescription& part,
                                                    std::int64_t micro_batch, ValueBytes values,
                                                    Rates rates);

/// Bytes that F of a micro-batch leaves for B and W: inputs of convolutions, linear layers and
/// pools, inputs of batch norms with mean, deviation and statistics, outputs of activations, masks
/// of dropouts; what layers share counts once, also where an exchange hands it on. Exact, for parts
/// of the tensor axis too: nn::Stage::Context::bytes after F (batch norm over several ranks keeps
/// one array of channels less).
[[nodiscard]] std::int64_t saved_bytes(const net::NetDescription& stage, std::int64_t micro_batch,
                                       ValueBytes values);
/// Bytes that B leaves for W: inputs and output gradients of convolutions and linear layers, leaves
/// and statistics of batch norms. Exact: nn::Stage::Context::bytes after B.
[[nodiscard]] std::int64_t bytes_from_B_to_W(const net::NetDescription& stage,
                                             std::int64_t micro_batch, ValueBytes values);

/// Costs of a stage, given the times of its layers: everything but reduce_s and step_s, which stay
/// 0.
[[nodiscard]] schedule::StageCosts stage_costs(const net::NetDescription& stage,
                                               std::int64_t micro_batch, ValueBytes values,
                                               std::span<const LayerTimes> times);

/// Bytes of the weights of layers while they are gathered from ranks that each keep a part.
[[nodiscard]] std::int64_t gathered_bytes(const net::NetDescription& local, ValueBytes values);

/// Arrays like the weights that are kept from step to step for an update.
struct OptimizerArrays {
    int moments = 2;    ///< of the optimizer
    bool mean = false;  ///< of the weights
    [[nodiscard]] int count() const { return moments + (mean ? 1 : 0); }
};

/// What a rank keeps of a net from step to step, bytes.
struct NetMemory {
    /// With the compute copy, where the types differ; of divided weights those that are owned, of
    /// those that a node has once the rank's part.
    std::int64_t parameters = 0;
    std::int64_t gradients = 0;  ///< partial sums of leaves
    std::int64_t moments = 0;
    std::int64_t mean = 0;  ///< of the weights
    /// No part of the sum: moments and mean, and divided weights.
    std::int64_t offloaded = 0;
    std::int64_t masters = 0;  ///< of parameters, those that are updated
    /// Of parameters and gradients, in memory that the ranks of a node share.
    std::int64_t shared = 0;

    [[nodiscard]] std::int64_t sum() const { return parameters + gradients + moments + mean; }
    NetMemory& operator+=(const NetMemory& other);
};
/// A rank among those of the data axis, and among those of its node that it shares memory with.
struct DataPlace {
    int rank = 0;
    int on_node = 0;
    bool first_of_tensor = true;  ///< which saves what the tensor axis does not divide
};
/// The ranks of the data axis, what is divided among them, and where that lies.
struct DataAxis {
    int ranks = 1;
    ShardLevel shard = ShardLevel::none;
    Offload offload = Offload::none;
    int ranks_of_node = 1;                          ///< that share memory
    int replicas = 1;                               ///< in a rank, which all sum leaves
    std::optional<DataPlace> place = std::nullopt;  ///< none: of a rank with the largest parts
};
/// Of what the ranks of a node have once, bytes that count as one rank's.
[[nodiscard]] constexpr std::int64_t share_of_node(std::int64_t bytes, int ranks_of_node) {
    return (bytes + ranks_of_node - 1) / ranks_of_node;
}
/// What a rank keeps from step to step of the layers `local` of a net, bytes. Allocates nothing.
[[nodiscard]] NetMemory net_memory(const net::NetDescription& local, schedule::LeafCounts leaves,
                                   OptimizerArrays kept, ValueBytes values, DataAxis data);
/// Ranks that update one model, each by itself.
struct SharedModel {
    int ranks = 1;
    AsyncMoments moments = AsyncMoments::shared;
};
/// What a rank keeps of a net that it shares, where it would keep `own` of one of its own: its part
/// of the shared weights beside its copy of them, and of moments and mean. Precondition: nothing of
/// `own` is divided or offloaded.
[[nodiscard]] NetMemory net_memory_of(const SharedModel& shared, NetMemory own);
/// Bytes of what is offloaded that the update of these layers has in memory at a time; 0 where
/// nothing is.
[[nodiscard]] std::int64_t offload_window(const net::NetDescription& local, OptimizerArrays kept,
                                          ValueBytes values, DataAxis data);

}  // namespace civitas::planner
