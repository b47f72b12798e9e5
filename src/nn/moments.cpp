#include "moments.hpp"

#include "civitas/base/tree.hpp"

#include <ATen/ops/empty.h>
#include <algorithm>

namespace civitas::nn {
namespace {

/// Rank r's part of equal-length contributions laid one after the other.
std::span<const double> part(const std::vector<double>& all, std::int64_t r, int ranks) {
    const std::size_t length = all.size() / static_cast<std::size_t>(ranks);
    return std::span(all).subspan(static_cast<std::size_t>(r) * length, length);
}

/// As many of every rank, in rank order. They arrive in a tensor, which lives as long as a message
/// to it may come.
std::vector<double> gathered(const comm::MpiCollectives& ranks, const std::vector<double>& mine) {
    const std::int64_t length = std::ssize(mine);
    std::vector<Range> slices;
    for (std::int64_t r = 0; r < ranks.size(); ++r) slices.push_back({r * length, length});
    const at::Tensor all = at::empty({length * ranks.size()}, at::kDouble);
    std::copy(mine.begin(), mine.end(),
              comm::part(all, ranks.own(slices)).mutable_data_ptr<double>());
    ranks.all_gather_slices(all, slices);
    return {all.const_data_ptr<double>(), all.const_data_ptr<double>() + all.numel()};
}

std::vector<double> packed(const Moments& m) {
    std::vector<double> flat{m.count};
    flat.insert(flat.end(), m.mean.begin(), m.mean.end());
    flat.insert(flat.end(), m.squares.begin(), m.squares.end());
    return flat;
}

Moments unpacked(std::span<const double> flat) {
    const auto values = flat.subspan(1);
    const auto half = static_cast<std::ptrdiff_t>(values.size() / 2);
    return {
        flat[0], {values.begin(), values.begin() + half}, {values.begin() + half, values.end()}};
}

}  // namespace

Moments combine(const Moments& a, const Moments& b) {
    Moments both = a;
    both.count = a.count + b.count;
    for (std::size_t c = 0; c < a.mean.size(); ++c) {
        const double apart = b.mean[c] - a.mean[c];
        both.mean[c] = a.mean[c] + apart * (b.count / both.count);
        both.squares[c] =
            a.squares[c] + b.squares[c] + apart * apart * (a.count * b.count / both.count);
    }
    return both;
}

Moments combined_over(const comm::MpiCollectives& ranks, const Moments& mine) {
    const auto all = gathered(ranks, packed(mine));
    return tree_sum(
        0, ranks.size(), [&](std::int64_t r) { return unpacked(part(all, r, ranks.size())); },
        combine);
}

std::vector<double> sums_over(const comm::MpiCollectives& ranks, const std::vector<double>& mine) {
    const auto all = gathered(ranks, mine);
    return tree_sum(
        0, ranks.size(),
        [&](std::int64_t r) {
            const auto p = part(all, r, ranks.size());
            return std::vector<double>(p.begin(), p.end());
        },
        [](std::vector<double> a, const std::vector<double>& b) {
            for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
            return a;
        });
}

}  // namespace civitas::nn
