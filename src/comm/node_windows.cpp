#include "node_windows.hpp"

#include "civitas/base/error.hpp"

#include <ATen/ops/from_blob.h>

namespace civitas::comm {

NodeMemory memory_of_group(const Communicator& node, std::int64_t bytes) {
    try {
        return {node, bytes};
    } catch (const AgreedError& e) {
        throw Error(e.what());
    }
}

at::Tensor NodeWindows::zeros(const std::shared_ptr<NodeWindows>& windows, const Communicator& node,
                              int regions, std::int64_t elements, at::ScalarType type) {
    const auto options = at::TensorOptions().dtype(type);
    const auto number = static_cast<std::int64_t>(options.dtype().itemsize());
    // Ranks do not write to the same page, so that each region lies near the rank that has it.
    constexpr std::int64_t page = node_memory_page;
    const std::int64_t region = (elements * number + page - 1) / page * page;
    const auto memory =
        std::make_shared<NodeMemory>(memory_of_group(node, std::max(regions * region, page)));
    std::byte* const begin = memory->bytes().data();
    const Rank mine = regions == 1 ? Rank{0} : node.rank();
    windows->windows_.insert_or_assign(begin, NodeWindow{begin, region, regions, mine});
    const auto end = [windows, memory, begin](void*) { windows->windows_.erase(begin); };
    return at::from_blob(begin + index(mine) * region, {elements}, end, options);
}

const NodeWindow* NodeWindows::of(const at::Tensor& flat) const {
    if (!flat.is_cpu() || flat.numel() == 0) return nullptr;
    const auto* const place = static_cast<const std::byte*>(flat.const_data_ptr());
    const auto after = windows_.upper_bound(place);
    if (after == windows_.begin()) return nullptr;
    const NodeWindow& window = std::prev(after)->second;
    const std::byte* const own = window.begin + index(window.mine) * window.region_bytes;
    const auto bytes = static_cast<std::int64_t>(flat.nbytes());
    const bool inside = place >= own && place + bytes <= own + window.region_bytes;
    return inside ? &window : nullptr;
}

at::Tensor like_place(const NodeWindow& window, Rank rank, const at::Tensor& part) {
    const std::int64_t further = (index(rank) - index(window.mine)) * window.region_bytes;
    auto* const place = static_cast<std::byte*>(part.mutable_data_ptr()) + further;
    return at::from_blob(place, part.sizes(), part.options());
}

}  // namespace civitas::comm
