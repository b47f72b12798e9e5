#pragma once
/// The part of an arena that one rank owns.
#include "civitas/net/arena_slices.hpp"

#include <ATen/core/Tensor.h>
#include <vector>

namespace civitas::parallel {

/// What a shard holds of one parameter: some rows along its first dim.
struct ShardRows {
    std::size_t slot = 0;
    Range rows;
    at::Tensor view;  ///< of the parameter's shape but for the first dim
};

/// Numbers for a run of an arena's elements, flat, and views of the rows of parameters there.
class ArenaShard {
public:
    /// Zeros, in memory of their own. `elements`: all, or one of net::owned_slices.
    ArenaShard(const net::ArenaLayout& layout, Range elements, at::ScalarType type,
               at::Device device);
    [[nodiscard]] const at::Tensor& flat() const noexcept { return flat_; }
    /// Of the arena.
    [[nodiscard]] Range elements() const noexcept { return elements_; }
    [[nodiscard]] const std::vector<ShardRows>& rows() const noexcept { return rows_; }
    [[nodiscard]] std::int64_t bytes() const { return static_cast<std::int64_t>(flat_.nbytes()); }

private:
    Range elements_;
    at::Tensor flat_;
    std::vector<ShardRows> rows_;
};

}  // namespace civitas::parallel
