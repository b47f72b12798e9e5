#include "civitas/comm/node_barrier.hpp"

#include <atomic>

namespace civitas::comm {
namespace {

constexpr std::size_t cache_line = 64;

std::atomic_ref<std::uint64_t> count_of(const NodeMemory& memory, Rank rank) {
    std::byte* const place = memory.bytes().data() + cache_line * static_cast<std::size_t>(rank);
    return std::atomic_ref(*reinterpret_cast<std::uint64_t*>(place));
}

}  // namespace

std::int64_t NodeBarrier::bytes_for(int ranks) {
    return static_cast<std::int64_t>(cache_line) * ranks;
}

NodeBarrier::NodeBarrier(const Communicator& node, NodeMemory memory)
    : memory_(std::move(memory)), me_(node.rank()), ranks_(node.size()) {}

NodeArrival NodeBarrier::arrive() {
    times_ = next(times_);
    count_of(memory_, me_).store(index(times_), std::memory_order_release);
    return times_;
}

std::optional<Rank> NodeBarrier::missing(NodeArrival times) const {
    for (int rank = 0; rank < ranks_; ++rank)
        if (count_of(memory_, Rank{rank}).load(std::memory_order_acquire) < index(times))
            return Rank{rank};
    return std::nullopt;
}

void NodeBarrier::reset(const Communicator& node) {
    node.barrier();
    times_ = {};
    count_of(memory_, me_).store(0, std::memory_order_release);
    node.barrier();
}

}  // namespace civitas::comm
