#pragma once
/// What all ranks hold together, and the passes that each makes over its own shards.
#include "layout.hpp"

#include <functional>
#include <span>

namespace civitas::checkpoint {

/// The same on every rank.
struct Plan {
    std::vector<ArrayInfo> arrays;  ///< by name
    std::vector<Part> parts;        ///< of all ranks, in rank order and each rank's own order
};

[[nodiscard]] io::ElementType type_of(const Shard& shard);

/// Collective; throws AgreedError as arrays_of does, and for a view that is not of its box's shape.
[[nodiscard]] Plan plan_of(const comm::Communicator& ranks, const std::vector<Shard>& shards,
                           const std::function<io::ElementType(const Shard&)>& type);
/// Only those that write.
[[nodiscard]] std::vector<Shard> writing(const std::vector<Shard>& shards);

/// A piece of a shard, small enough for a copy in host memory, and its runs in the logical array.
struct Piece {
    at::Tensor view;
    std::vector<FileRun> runs;
};
void for_each_piece(const Shard& shard, const std::function<void(const Piece&)>& visit);

/// A run's values in host memory: called with the run and its bytes.
using VisitRun = std::function<void(const FileRun&, std::span<const std::byte>)>;
/// Visits all runs of a shard and returns its checksum.
[[nodiscard]] std::uint64_t read_shard(const Shard& shard, const VisitRun& visit);

/// Checksum of elements first, first + 1, ... of an array. Precondition: whole elements.
[[nodiscard]] std::uint64_t checksum_of(io::ElementType type, std::int64_t first,
                                        std::span<const std::byte> bytes);
/// Checksums per array from one per part of the plan (those that do not write count nothing).
[[nodiscard]] std::vector<std::uint64_t> totals(const Plan& plan,
                                                std::span<const std::uint64_t> part_sums);
[[nodiscard]] std::uint64_t combined(const std::vector<ArrayInfo>& arrays,
                                     std::span<const std::uint64_t> array_sums);

}  // namespace civitas::checkpoint
