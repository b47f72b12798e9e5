#pragma once
/// The values of a channels-last tensor in blocks of whole rows (channel_rows.hpp). Blocks follow
/// from the shape alone, and what they add up to is merged in their order: sums have the same bits
/// for any number of threads.
#include "channel_rows.hpp"

#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <algorithm>

namespace civitas::kernels {

class ChannelBlocks {
public:
    explicit ChannelBlocks(const at::Tensor& x)
        : channels_(x.size(1)),
          width_((shortest_row + channels_ - 1) / channels_ * channels_),
          block_(std::max(least_rows, block_values / width_) * width_),
          values_(x.numel()) {}

    [[nodiscard]] std::int64_t channels() const { return channels_; }
    [[nodiscard]] std::int64_t width() const { return width_; }
    [[nodiscard]] std::int64_t count() const { return (values_ + block_ - 1) / block_; }
    [[nodiscard]] std::int64_t begin(std::int64_t block) const { return block * block_; }
    [[nodiscard]] double values_per_channel() const {
        const std::int64_t whole = values_ / channels_;
        return static_cast<double>(whole);
    }
    template <class T>
    [[nodiscard]] ValueRun<const T> run(const at::Tensor& x, std::int64_t block) const {
        return {x.const_data_ptr<T>() + begin(block), length(block), width_};
    }

    /// `visit(block)` for each, on all threads.
    template <class Visit>
    void for_each(Visit visit) const {
        at::parallel_for(0, count(), 1, [&](std::int64_t first, std::int64_t last) {
            for (std::int64_t block = first; block < last; ++block) visit(block);
        });
    }
    /// `visit(block, position, n)` wherever a row begins with the first channel: that position and
    /// those of the other channels after it stand for n > 0 values each.
    template <class Visit>
    void for_folds(Visit visit) const {
        for (std::int64_t block = 0; block < count(); ++block) {
            const std::int64_t rows = length(block) / width_, longer = length(block) % width_;
            for (std::int64_t position = 0; position < width_; position += channels_)
                if (const std::int64_t n = rows + (position < longer ? 1 : 0); n > 0)
                    visit(block, position, static_cast<double>(n));
        }
    }

private:
    /// A block of values and the sums of its positions fit a core's cache.
    static constexpr std::int64_t shortest_row = 256, least_rows = 16, block_values = 1 << 15;
    [[nodiscard]] std::int64_t length(std::int64_t block) const {
        return std::min(block_, values_ - begin(block));
    }
    std::int64_t channels_, width_, block_, values_;
};

/// So many sums of each position of each block.
class BlockSums {
public:
    BlockSums(const ChannelBlocks& blocks, std::int64_t kinds)
        : kinds_(kinds),
          width_(blocks.width()),
          sums_(at::empty({blocks.count(), kinds, width_}, at::kFloat)) {}
    [[nodiscard]] float* row(std::int64_t block, std::int64_t kind) const {
        return sums_.mutable_data_ptr<float>() + (block * kinds_ + kind) * width_;
    }

private:
    std::int64_t kinds_, width_;
    at::Tensor sums_;
};

}  // namespace civitas::kernels
