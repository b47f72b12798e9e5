#include "civitas/optim/arena_shard.hpp"

#include "arena_memory.hpp"

#include "civitas/base/error.hpp"
#include "civitas/comm/agree.hpp"

#include <ATen/ops/empty.h>

namespace civitas::optim {

ArenaShard::ArenaShard(const net::ArenaLayout& layout, Range elements, at::ScalarType type,
                       at::Device device, OffloadFile* file)
    : ArenaShard(layout, elements,
                 file != nullptr
                     ? file->zeros(elements.count, type)
                     : zeros_apart(elements.count, at::TensorOptions(device).dtype(type)),
                 file) {}

ArenaShard::ArenaShard(const net::ArenaLayout& layout, at::Tensor flat)
    : ArenaShard(layout, {0, layout.size()}, std::move(flat), nullptr) {}

ArenaShard::ArenaShard(const net::ArenaLayout& layout, Range elements, at::Tensor flat,
                       const OffloadFile* file)
    : elements_(elements), file_(file), flat_(std::move(flat)) {
    ensure(flat_.numel() == elements.count, "a shard has the memory that it needs");
    for (const auto& [slot, rows, count, offset] : net::rows_in(layout, elements)) {
        auto shape = layout.slots()[slot].parameter.shape;
        shape.at(0) = rows.count;
        rows_.push_back({slot, rows, view_at(flat_, offset - elements.begin, shape)});
    }
}

at::Tensor gathered_part(const ArenaShard& mine, const net::ArenaLayout& layout, Range part,
                         const comm::TensorCollectives& ranks) {
    at::Tensor all = at::empty({part.count}, mine.flat().options());
    const auto places = net::places_within(net::owned_slices(layout, ranks.size()), part);
    if (const Range own = net::within({mine.elements()}, part).front(); own.count > 0) {
        const at::Tensor to = comm::part(all, ranks.own(places));
        const Range place{own.begin - mine.elements().begin, own.count};
        const at::Tensor from = comm::part(mine.flat(), place);
        walk(mine.file(), {&from, 1},
             [&](Range some) { comm::part(to, some).copy_(comm::part(from, some)); });
    }
    ranks.all_gather_slices(all, places);
    return all;
}

Arena whole_of(const ArenaShard& mine, const net::ArenaLayout& layout,
               const comm::TensorCollectives& ranks) {
    const auto slices = net::owned_slices(layout, ranks.size());
    ensure(mine.elements() == ranks.own(slices), "each rank has its own slice");
    // A rank without memory for it must not leave the others in the gathering.
    Arena whole = comm::agree(ranks.ranks(), [&] {
        return Arena(layout, mine.flat().scalar_type(), mine.flat().device());
    });
    const at::Tensor own = comm::part(whole.flat(), mine.elements());
    walk(mine.file(), {&mine.flat(), 1},
         [&](Range some) { comm::part(own, some).copy_(comm::part(mine.flat(), some)); });
    ranks.all_gather_slices(whole.flat(), slices);
    return whole;
}

}  // namespace civitas::optim
