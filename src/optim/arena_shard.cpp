#include "civitas/optim/arena_shard.hpp"

#include "arena_view.hpp"

#include "civitas/base/error.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/memory/zeros_apart.hpp"

#include <ATen/ops/empty.h>

namespace civitas::optim {

ArenaShard::ArenaShard(const net::ArenaLayout& layout, const net::ArenaRuns& elements,
                       at::ScalarType type, at::Device device, memory::OffloadMemory* offload_to)
    : ArenaShard(layout, elements,
                 offload_to != nullptr
                     ? offload_to->zeros(elements.count(), type)
                     : memory::zeros_apart(elements.count(), at::TensorOptions(device).dtype(type)),
                 offload_to) {}

ArenaShard::ArenaShard(const net::ArenaLayout& layout, at::Tensor flat, int sharers)
    : ArenaShard(layout, net::all_of(layout), std::move(flat), nullptr) {
    sharers_ = sharers;
}

ArenaShard::ArenaShard(const net::ArenaLayout& layout, net::ArenaRuns elements, at::Tensor flat,
                       const memory::OffloadMemory* offloaded_to)
    : elements_(std::move(elements)), offloaded_to_(offloaded_to), flat_(std::move(flat)) {
    ensure(flat_.numel() == elements_.count(), "a shard has the memory that it needs");
    for (const auto& [slot, rows, count, place] : net::rows_in(layout, elements_)) {
        auto shape = layout.slots()[slot].parameter.shape;
        shape.at(0) = rows.count;
        rows_.push_back({slot, rows, view_at(flat_, place, shape)});
    }
}

std::vector<at::Tensor> runs_in(const at::Tensor& flat, const net::ArenaRuns& own) {
    std::vector<at::Tensor> runs;
    const bool alone = flat.numel() == own.count();
    for (const Range& run : own.runs())
        runs.push_back(comm::part(flat, alone ? own.places_of(run) : run));
    return runs;
}

void gather_part(const at::Tensor& flat, Range part, const net::ArenaDivision& division,
                 const comm::TensorCollectives& ranks) {
    std::vector<std::unique_ptr<comm::Gathering>> gatherings;
    for (const net::ArenaBlock& block : division.blocks())
        if (net::within({block.elements}, part).front().count > 0)
            gatherings.push_back(
                ranks.begin_all_gather_slices(flat, net::places_within(block.slices, part)));
    for (const auto& gathering : gatherings) gathering->wait();
    for (const auto& gathering : gatherings) gathering->finish();
}

namespace {

/// Fills the own places of `flat`, elements `part` of the arena.
void copy_own(const ArenaShard& mine, const at::Tensor& flat, Range part) {
    for (const Range& run : net::within(mine.elements().runs(), part)) {
        if (run.count == 0) continue;
        const at::Tensor from = comm::part(mine.flat(), mine.elements().places_of(run));
        const at::Tensor to = comm::part(flat, {run.begin - part.begin, run.count});
        memory::walk(mine.offloaded_to(), {&from, 1},
                     [&](Range some) { comm::part(to, some).copy_(comm::part(from, some)); });
    }
}

}  // namespace

at::Tensor gathered_part(const DividedArena& from, Range part) {
    at::Tensor all = at::empty({part.count}, from.mine.flat().options().device(from.device));
    copy_own(from.mine, all, part);
    gather_part(all, part, from.division, from.ranks);
    return all;
}

Arena whole_of(const DividedArena& from, const net::ArenaLayout& layout) {
    const auto& [mine, division, ranks, device] = from;
    ensure(mine.elements() == division.owned_by(index(ranks.rank())), "each rank has its own");
    // A rank without memory for it must not leave the others in the gathering.
    Arena whole = comm::agree(
        ranks.ranks(), [&] { return Arena(layout, from.mine.flat().scalar_type(), from.device); });
    copy_own(mine, whole.flat(), {0, layout.size()});
    gather_part(whole.flat(), {0, layout.size()}, division, ranks);
    return whole;
}

}  // namespace civitas::optim
