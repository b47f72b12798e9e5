#pragma once
/// Memory of a node where the weights of stages are gathered, once for all of its ranks.
#include "civitas/base/places.hpp"
#include "civitas/comm/collectives.hpp"

#include <ATen/core/Tensor.h>
#include <vector>

namespace civitas::optim {

/// Of ranks that take and release the same in the same order, and so have the same places.
class GatherRoom {
public:
    /// Room for so many bytes: see schedule::gather_room. Collective over ranks of which some share
    /// memory, and so is its end; throws Error where there is too little on this node.
    GatherRoom(const comm::TensorCollectives& ranks, std::int64_t bytes);

    /// Bytes at a place that is free, flat, once all ranks of the node have released what lay
    /// there: see Places. All of them have one place. Throws comm::Revoked as exchanges do.
    [[nodiscard]] at::Tensor take(std::int64_t bytes);
    /// This rank reads and writes no more what it has taken.
    void release(const at::Tensor& taken);
    /// All is free on all ranks, who have given up what they did.
    void clear();

    [[nodiscard]] std::int64_t bytes() const noexcept { return memory_.numel(); }

private:
    struct Released {
        Range place;
        comm::NodeArrival arrival;
    };
    const comm::TensorCollectives& ranks_;
    at::Tensor memory_;
    Places places_;
    std::vector<Released> released_;  ///< what others of the node may still use
};

}  // namespace civitas::optim
