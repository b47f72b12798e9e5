#include "civitas/base/error.hpp"
#include "civitas/base/tree.hpp"
#include "civitas/parallel/reduction.hpp"

#include <ATen/Dispatch.h>
#include <ATen/ops/from_blob.h>
#include <algorithm>

namespace civitas::parallel {
namespace {

template <class T>
std::span<T> numbers_of(const at::Tensor& flat) {
    return {flat.mutable_data_ptr<T>(), static_cast<std::size_t>(flat.numel())};
}

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

/// This rank's part of one pass, summed over ranks in tree order, in place.
template <class T>
void reduce_part(const comm::Communicator& ranks, const at::Tensor& flat,
                 const std::vector<Range>& parts) {
    const Range mine = parts.at(static_cast<std::size_t>(index(ranks.rank())));
    auto pieces = ranks.exchange_slices(std::span<const T>(numbers_of<T>(flat)), parts);
    if (mine.count == 0) return;
    const at::Tensor rows =
        at::from_blob(pieces.data(), {ranks.size(), mine.count}, flat.scalar_type());
    flat.narrow(0, mine.begin, mine.count)
        .copy_(tree_sum(
            0, ranks.size(), [&](std::int64_t i) { return rows.select(0, i); },
            [](const at::Tensor& left, const at::Tensor& right) { return left.add_(right); }));
}

template <class T>
void reduce_slice(const comm::Communicator& ranks, const at::Tensor& flat,
                  const std::vector<Range>& slices) {
    std::int64_t longest = 0;
    for (const Range& slice : slices) longest = std::max(longest, slice.count);
    for (std::int64_t first = 0; first < longest; first += round_elements)
        reduce_part<T>(ranks, flat, part_of_round(slices, first));
}

template <class T>
void reduce_in_tree_order(const comm::Communicator& ranks, std::span<const at::Tensor> passes,
                          const std::vector<Range>& slices) {
    const Range mine = slices.at(static_cast<std::size_t>(index(ranks.rank())));
    const auto my_part = [&](const at::Tensor& flat) {
        return flat.narrow(0, mine.begin, mine.count);
    };
    for (const at::Tensor& flat : passes) {
        if (ranks.size() > 1) reduce_slice<T>(ranks, flat, slices);
        if (!flat.is_same(passes[0])) my_part(passes[0]).add_(my_part(flat));
    }
    if (ranks.size() > 1) ranks.all_gather_slices(numbers_of<T>(passes[0]), slices);
}

void on_host(const comm::Communicator& ranks, std::span<const at::Tensor> passes,
             const std::vector<Range>& slices, Reduction reduction) {
    AT_DISPATCH_FLOATING_TYPES(passes[0].scalar_type(), "all_reduce", [&] {
        if (reduction == Reduction::tree)
            return reduce_in_tree_order<scalar_t>(ranks, passes, slices);
        for (const at::Tensor& other : passes.subspan(1)) passes[0].add_(other);
        ranks.all_reduce_fast(numbers_of<scalar_t>(passes[0]));
    });
}

}  // namespace

void all_reduce(const comm::Communicator& ranks, std::span<const at::Tensor> passes,
                const std::vector<Range>& slices, Reduction reduction) {
    expect(!passes.empty() && static_cast<int>(slices.size()) == ranks.size() &&
               slices.back().end() == passes[0].numel(),
           "slices cover the tensor, one per rank");
    if (passes[0].is_cpu()) return on_host(ranks, passes, slices, reduction);
    if (ranks.size() == 1) {
        for (const at::Tensor& other : passes.subspan(1)) passes[0].add_(other);
        return;
    }
    std::vector<at::Tensor> staged;
    for (const at::Tensor& flat : passes) staged.push_back(flat.cpu());
    on_host(ranks, staged, slices, reduction);
    passes[0].copy_(staged[0]);
}

}  // namespace civitas::parallel
