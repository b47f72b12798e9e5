#include "rank_sums.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/tree.hpp"
#include "civitas/optim/reduction.hpp"

#include <ATen/Dispatch.h>
#include <ATen/ops/add.h>
#include <algorithm>

namespace civitas::optim {
namespace {

using comm::part;

/// Elements of a slice that are exchanged in a round, and elements that a rank has room for, by
/// rank: messages of a megabyte, of which some are under way.
constexpr std::int64_t round_elements = std::int64_t{1} << 18;
constexpr std::int64_t room_elements = std::int64_t{1} << 20;

std::size_t rounds_at_once(std::int64_t ranks) {
    return static_cast<std::size_t>(ranks * room_elements / ((ranks - 1) * round_elements));
}

std::vector<Range> part_of_round(const std::vector<Range>& slices, std::int64_t first) {
    std::vector<Range> parts;
    for (const Range& slice : slices) {
        const std::int64_t skipped = std::min(first, slice.count);
        parts.push_back({slice.begin + skipped, std::min(round_elements, slice.count - skipped)});
    }
    return parts;
}

}  // namespace

void RankSums::begin(const at::Tensor& flat, const std::vector<Range>& slices) {
    ensure(static_cast<int>(slices.size()) == ranks_.size() && slices.back().end() == flat.numel(),
           "slices cover the tensor, one per rank");
    if (ranks_.size() == 1) return;
    std::int64_t longest = 0;
    for (const Range& slice : slices) longest = std::max(longest, slice.count);
    for (std::int64_t first = 0; first < longest; first += round_elements) {
        const auto parts = part_of_round(slices, first);
        rounds_.push_back(
            {ranks_.begin_all_to_all_slices(flat, parts), part(flat, ranks_.own(parts))});
    }
    start_some();
}

void RankSums::start_some() {
    const std::size_t most = std::min(rounds_.size(), rounds_at_once(ranks_.size()));
    for (; started_ < most; ++started_) rounds_[started_].exchange->start();
}

void RankSums::progress() {
    if (rounds_.empty()) return;
    ranks_.progress();
    while (started_ > 0 && rounds_.front().exchange->is_there()) finish_round();
}

void RankSums::finish() {
    while (!rounds_.empty()) finish_round();
}

void RankSums::finish_round() {
    const auto pieces = rounds_.front().exchange->wait();
    at::Tensor own = rounds_.front().own;
    rounds_.pop_front();
    --started_;
    start_some();
    if (own.numel() == 0) return;
    const auto sum = [&](std::int64_t first, std::int64_t count) {
        return tree_sum(
            first, count, [&](std::int64_t i) { return pieces[static_cast<std::size_t>(i)]; },
            [](const at::Tensor& left, const at::Tensor& right) { return left.add_(right); });
    };
    // The last of these sums is made where it is kept: one of its terms lies there.
    const std::int64_t left = tree_split(ranks_.size());
    at::add_out(own, sum(0, left), sum(left, ranks_.size() - left));
}

void RankSums::clear() {
    rounds_.clear();
    started_ = 0;
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

}  // namespace civitas::optim
