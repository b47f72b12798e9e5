#include "area_average.hpp"

#include "civitas/base/error.hpp"

#include <algorithm>

namespace civitas::images {
namespace {

/// Along a side that both images divide into from * to pieces, pixel `i` of the first covers
/// [i * to, (i + 1) * to), pixel `k` of the second [k * from, (k + 1) * from). Shows each `k` that
/// shares pieces with `i`, and how many.
template <class Visit>
void for_each_overlap(std::int64_t i, std::int64_t from, std::int64_t to, Visit&& visit) {
    const std::int64_t begin = i * to, end = begin + to;
    for (std::int64_t k = begin / from; k * from < end; ++k) {
        const std::int64_t shared = std::min(end, (k + 1) * from) - std::max(begin, k * from);
        visit(static_cast<std::size_t>(k), static_cast<std::uint64_t>(shared));
    }
}

}  // namespace

AreaAverage::AreaAverage(std::int64_t from, std::int64_t to)
    : from_(from),
      to_(to),
      row_(static_cast<std::size_t>(to * channels)),
      sums_(static_cast<std::size_t>(to * to * channels)) {}

void AreaAverage::add(std::span<const std::uint8_t> row) {
    ensure(std::ssize(row) == from_ * channels && rows_ < from_, "rows are those of the image");
    constexpr auto each = static_cast<std::size_t>(channels);
    std::ranges::fill(row_, 0);
    for (std::int64_t x = 0; x < from_; ++x) {
        const std::uint8_t* pixel = row.data() + x * channels;
        for_each_overlap(x, from_, to_, [&](std::size_t k, std::uint64_t shared) {
            for (std::size_t c = 0; c < each; ++c) row_[k * each + c] += shared * pixel[c];
        });
    }
    for_each_overlap(rows_++, from_, to_, [&](std::size_t k, std::uint64_t shared) {
        std::uint64_t* sums = sums_.data() + k * row_.size();
        for (std::size_t i = 0; i < row_.size(); ++i) sums[i] += shared * row_[i];
    });
}

void AreaAverage::write(std::span<std::uint8_t> rgb) const {
    ensure(rows_ == from_ && rgb.size() == sums_.size(), "an image is averaged as a whole");
    const auto area = static_cast<std::uint64_t>(from_) * static_cast<std::uint64_t>(from_);
    for (std::size_t i = 0; i < sums_.size(); ++i)
        rgb[i] = static_cast<std::uint8_t>((2 * sums_[i] + area) / (2 * area));
}

}  // namespace civitas::images
