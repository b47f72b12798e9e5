#pragma once
/// What all ranks hold together, and the passes that each makes over its own shards.
#include "layout.hpp"

#include <functional>
#include <span>

namespace civitas::checkpoint {

[[nodiscard]] hdf5::ElementType type_of(const Shard& shard);
/// Of shards whose arrays are of these types.
using TypeOf = std::function<hdf5::ElementType(const Shard&)>;
[[nodiscard]] std::vector<Part> parts_of(const std::vector<Shard>& shards, const TypeOf& type);

/// The arrays that the shards of all ranks make up, by name, the same on every rank: the root alone
/// learns who holds which box. Collective; throws AgreedError as arrays_of does, and for a view
/// that is not of its box's shape.
[[nodiscard]] std::vector<ArrayInfo> plan_of(const comm::Communicator& ranks,
                                             const std::vector<Shard>& shards, const TypeOf& type);
/// The same of what is to be written. Collective; throws AgreedError also for an array of which a
/// rank holds a replica that nobody writes.
[[nodiscard]] std::vector<ArrayInfo> plan_to_write(const comm::Communicator& ranks,
                                                   const std::vector<Shard>& shards);
/// Only those that write.
[[nodiscard]] std::vector<Shard> writing(const std::vector<Shard>& shards);

/// A piece of a shard, small enough for a copy in host memory, and its runs in the logical array.
struct Piece {
    at::Tensor view;
    std::vector<FileRun> runs;
};
[[nodiscard]] std::vector<Piece> pieces_of(const Shard& shard);

/// A run's values in host memory: called with the run and its bytes.
using VisitRun = std::function<void(const FileRun&, std::span<const std::byte>)>;
/// Visits all runs of a shard and returns its checksum.
[[nodiscard]] std::uint64_t read_shard(const Shard& shard, const VisitRun& visit);

/// Checksum of elements first, first + 1, ... of an array. Precondition: whole elements.
[[nodiscard]] std::uint64_t checksum_of(hdf5::ElementType type, std::int64_t first,
                                        std::span<const std::byte> bytes);
/// Checksums per array of the plan, over all ranks, from one per shard of this rank's (those that
/// do not write count nothing). Collective.
[[nodiscard]] std::vector<std::uint64_t> totals(const comm::Communicator& ranks,
                                                const std::vector<ArrayInfo>& plan,
                                                const std::vector<Shard>& shards,
                                                std::span<const std::uint64_t> shard_sums);
[[nodiscard]] std::uint64_t combined(const std::vector<ArrayInfo>& arrays,
                                     std::span<const std::uint64_t> array_sums);

}  // namespace civitas::checkpoint
