#pragma once
/// Tensors in memory that ranks of a node share, found again by where they lie.
#include "civitas/comm/node_memory.hpp"

#include <ATen/core/Tensor.h>
#include <map>
#include <memory>

namespace civitas::comm {

/// Memory of those ranks of a node that are in one group of several. Throws Error where there is
/// too little: the other groups know nothing of it.
[[nodiscard]] NodeMemory memory_of_group(const Communicator& node, std::int64_t bytes);

/// Memory of a node: a region for each rank, all alike, or one for all of them.
struct NodeWindow {
    std::byte* begin = nullptr;
    std::int64_t region_bytes = 0;
    int regions = 1;
    Rank mine{};  ///< region of this rank
};

class NodeWindows {
public:
    /// Zeros in this rank's region of new memory, which ends with the tensor. Collective over
    /// `node`; throws Error as memory_of_group() does.
    [[nodiscard]] static at::Tensor zeros(const std::shared_ptr<NodeWindows>& windows,
                                          const Communicator& node, int regions,
                                          std::int64_t elements, at::ScalarType type);
    /// Where a tensor lies, all of it; null for memory of a process.
    [[nodiscard]] const NodeWindow* of(const at::Tensor& flat) const;

private:
    std::map<const std::byte*, NodeWindow> windows_;  ///< by their begin
};

/// What lies in the region of a rank of the node at the place where `part` lies in the own one.
[[nodiscard]] at::Tensor like_place(const NodeWindow& window, Rank rank, const at::Tensor& part);

}  // namespace civitas::comm
