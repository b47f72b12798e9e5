#include "civitas/parallel/arena_shard.hpp"

#include "arena_memory.hpp"

namespace civitas::parallel {

ArenaShard::ArenaShard(const net::ArenaLayout& layout, Range elements, at::ScalarType type,
                       at::Device device)
    : elements_(elements),
      flat_(zeros_apart(elements.count, at::TensorOptions(device).dtype(type))) {
    for (const auto& [slot, rows, count, offset] : net::rows_in(layout, elements)) {
        auto shape = layout.slots()[slot].parameter.shape;
        shape.at(0) = rows.count;
        rows_.push_back({slot, rows, view_at(flat_, offset - elements.begin, shape)});
    }
}

}  // namespace civitas::parallel
