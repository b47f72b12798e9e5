#pragma once
/// Bytes that a rank needs at most.
#include "civitas/planner/workload.hpp"

#include <string>

namespace civitas::planner {

/// Micro-batches that a rank keeps ready for each replica beside the one in use.
inline constexpr int micro_batches_ahead = 4;

/// Bytes of a rank at its peak. Nets, activations and staging are exact; the rest is what a process
/// was seen to need beside them.
struct RankMemory {
    NetMemory nets;                   ///< of all
    Offload offload = Offload::none;  ///< where what they offload lies
    std::int64_t activations = 0;     ///< all that lives between F, B and W, of all replicas
    std::int64_t messages = 0;        ///< on their way to the rank, or expected at any time
    std::int64_t loader = 0;          ///< micro-batches read ahead, and those in use
    /// Needed within an action: what the largest layer makes before it is kept or sent, what its
    /// convolution is rearranged into, and what the allocator cannot use again at once; where
    /// servers keep the weights, messages that are on their way from the rank, too.
    std::int64_t scratch = 0;
    std::int64_t window = 0;   ///< of what is offloaded, in memory at a time
    std::int64_t staging = 0;  ///< copy of what the rank writes of a checkpoint, in host memory
    std::int64_t process = 0;  ///< the program, its libraries, MPI and threads
    [[nodiscard]] std::int64_t sum() const {
        return nets.sum() + activations + messages + loader + scratch + window + staging + process;
    }
};

/// At least what any coordinate needs beside nets, activations and messages, however the nets are
/// cut.
[[nodiscard]] std::int64_t most_beside(const Workload& workload, const ExecutionLayout& layout);

/// What a process needs to time the layers of all nets one by one, uncut: each with its input and
/// output, weights in two types and a leaf, beside scratch.
[[nodiscard]] std::int64_t timing_bytes(const Workload& workload);

/// The memory in words, `141.3 MB: weights, moments and sums 120.0, saved 8.1, ...`; parts of
/// nothing are left out.
[[nodiscard]] std::string in_words(const RankMemory& memory);

}  // namespace civitas::planner
