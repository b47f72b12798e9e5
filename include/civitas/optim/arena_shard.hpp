#pragma once
/// The part of an arena that one rank owns.
#include "civitas/comm/collectives.hpp"
#include "civitas/memory/offload_memory.hpp"
#include "civitas/optim/arena.hpp"

#include <ATen/core/Tensor.h>
#include <string>
#include <vector>

namespace civitas::optim {

/// What a shard holds of one parameter: some rows along its first dim.
struct ShardRows {
    std::size_t slot = 0;
    Range rows;
    at::Tensor view;  ///< of the parameter's shape but for the first dim
};

/// Numbers for runs of an arena's elements, flat, and views of the rows of parameters there.
class ArenaShard {
public:
    /// Zeros, in memory of their own on `device`, or offloaded to another, which must outlive them.
    /// `elements`: all, or those that a rank owns in a net::ArenaDivision.
    ArenaShard(const net::ArenaLayout& layout, const net::ArenaRuns& elements, at::ScalarType type,
               at::Device device, memory::OffloadMemory* offload_to = nullptr);
    /// A whole arena over memory that somebody else made: `flat` has layout.size() elements.
    /// `sharers`: ranks that have them once together.
    ArenaShard(const net::ArenaLayout& layout, at::Tensor flat, int sharers = 1);
    [[nodiscard]] const at::Tensor& flat() const noexcept { return flat_; }
    /// Of the arena.
    [[nodiscard]] const net::ArenaRuns& elements() const noexcept { return elements_; }
    [[nodiscard]] const std::vector<ShardRows>& rows() const noexcept { return rows_; }
    /// Of what ranks have together, bytes that count as this rank's.
    [[nodiscard]] std::int64_t bytes() const {
        return (static_cast<std::int64_t>(flat_.nbytes()) + sharers_ - 1) / sharers_;
    }
    /// Null where the numbers are not offloaded.
    [[nodiscard]] const memory::OffloadMemory* offloaded_to() const noexcept {
        return offloaded_to_;
    }

private:
    ArenaShard(const net::ArenaLayout& layout, net::ArenaRuns elements, at::Tensor flat,
               const memory::OffloadMemory* offloaded_to);

    net::ArenaRuns elements_;
    const memory::OffloadMemory* offloaded_to_;
    at::Tensor flat_;
    std::vector<ShardRows> rows_;
    int sharers_ = 1;
};

/// Sets the initial parameters of these rows by formula, as for a whole arena.
void initialise(const ArenaShard& shard, const net::ArenaLayout& layout, Seed seed,
                const std::string& net_name);

/// The own elements in `flat`, one tensor for each run: it has the whole arena, or these alone.
[[nodiscard]] std::vector<at::Tensor> runs_in(const at::Tensor& flat, const net::ArenaRuns& own);

/// Brings `flat`, elements `part` of an arena, up to date, of which each rank has what it owns
/// there. Collective; throws comm::Revoked as exchanges do.
void gather_part(const at::Tensor& flat, Range part, const net::ArenaDivision& division,
                 const comm::TensorCollectives& ranks);

/// What an arena is gathered from.
struct DividedArena {
    const ArenaShard& mine;
    const net::ArenaDivision& division;
    const comm::TensorCollectives& ranks;
    at::Device device;  ///< to be gathered on: that which computes
};

/// Elements `part` of the arena of which each rank has its own, flat. Collective; throws
/// comm::Revoked as exchanges do.
[[nodiscard]] at::Tensor gathered_part(const DividedArena& from, Range part);

/// The whole arena of which each rank has its own elements. Collective; throws AgreedError where a
/// rank has no memory for it.
[[nodiscard]] Arena whole_of(const DividedArena& from, const net::ArenaLayout& layout);

}  // namespace civitas::optim
