#include "civitas/base/error.hpp"
#include "civitas/base/tree.hpp"
#include "civitas/optim/reduction.hpp"

#include <ATen/Dispatch.h>
#include <ATen/ops/add.h>
#include <algorithm>

namespace civitas::optim {
namespace {

using comm::part;

/// Elements of a slice exchanged at a time: the pieces of all ranks are added while in cache, and
/// the memory they need does not grow with the net.
constexpr std::int64_t round_elements = std::int64_t{1} << 20;

std::vector<Range> part_of_round(const std::vector<Range>& slices, std::int64_t first) {
    std::vector<Range> parts;
    for (const Range& slice : slices) {
        const std::int64_t skipped = std::min(first, slice.count);
        parts.push_back({slice.begin + skipped, std::min(round_elements, slice.count - skipped)});
    }
    return parts;
}

/// Sums this rank's part of one pass over ranks, in place. Direct exchange: every rank sends part j
/// of its tensor to rank j, and gets a piece of its own part from each; the pieces are added in
/// tree order, (r0 + r1) + (r2 + r3) ..., whatever order they came in.
void reduce_part(const comm::TensorCollectives& ranks, const at::Tensor& flat,
                 const std::vector<Range>& parts) {
    const auto pieces = ranks.all_to_all_slices(flat, parts);
    const at::Tensor own = part(flat, ranks.own(parts));
    if (own.numel() == 0) return;
    const auto sum = [&](std::int64_t first, std::int64_t count) {
        return tree_sum(
            first, count, [&](std::int64_t i) { return pieces[static_cast<std::size_t>(i)]; },
            [](const at::Tensor& left, const at::Tensor& right) { return left.add_(right); });
    };
    // The last of these sums is made where it is kept: one of its terms may lie there.
    const std::int64_t left = tree_split(ranks.size());
    at::Tensor kept = own;
    at::add_out(kept, sum(0, left), sum(left, ranks.size() - left));
}

void reduce_slice(const comm::TensorCollectives& ranks, const at::Tensor& flat,
                  const std::vector<Range>& slices) {
    std::int64_t longest = 0;
    for (const Range& slice : slices) longest = std::max(longest, slice.count);
    for (std::int64_t first = 0; first < longest; first += round_elements)
        reduce_part(ranks, flat, part_of_round(slices, first));
}

}  // namespace

// Pass by pass: the owner of a slice makes ((pass 0 over ranks) + (pass 1 over ranks)) + ... of it.
void reduce_scatter(const comm::TensorCollectives& ranks, std::span<const at::Tensor> passes,
                    const std::vector<Range>& slices) {
    ensure(!passes.empty() && static_cast<int>(slices.size()) == ranks.size() &&
               slices.back().end() == passes[0].numel(),
           "slices cover the tensor, one per rank");
    const Range mine = ranks.own(slices);
    for (const at::Tensor& flat : passes) {
        if (ranks.size() > 1) reduce_slice(ranks, flat, slices);
        if (!flat.is_same(passes[0])) part(passes[0], mine).add_(part(flat, mine));
    }
}

// Through host memory.
void all_reduce_in_any_order(const comm::TensorCollectives& ranks,
                             std::span<const at::Tensor> passes) {
    for (const at::Tensor& other : passes.subspan(1)) passes[0].add_(other);
    const at::Tensor host = passes[0].cpu();
    AT_DISPATCH_FLOATING_TYPES(host.scalar_type(), "all_reduce", [&] {
        ranks.ranks().all_reduce_fast(
            std::span(host.mutable_data_ptr<scalar_t>(), static_cast<std::size_t>(host.numel())));
    });
    if (!host.is_same(passes[0])) passes[0].copy_(host);
}

void all_reduce(const comm::TensorCollectives& ranks, std::span<const at::Tensor> passes,
                const std::vector<Range>& slices, Reduction reduction) {
    if (reduction == Reduction::fast) return all_reduce_in_any_order(ranks, passes);
    reduce_scatter(ranks, passes, slices);
    if (ranks.size() > 1) ranks.all_gather_slices(passes[0], slices);
}

}  // namespace civitas::optim
