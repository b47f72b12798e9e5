#pragma once
/// What a table of actions sends along the pipe and tensor axes, and a step along the data axis.
#include "civitas/schedule/simulator.hpp"

#include <cstdint>
#include <vector>

namespace civitas::schedule {

/// Messages of a step through one cut: between two stages of a net, or from the last stage of one
/// to the first of the net that takes its outputs.
struct CutTraffic {
    NetId net{};
    StageId stage{};  ///< before the cut
    PipeCoordinate from{};
    PipeCoordinate to{};
    std::int64_t messages = 0;
    std::int64_t bytes = 0;  ///< both ways
};

/// Cuts between coordinates, in the order of the nets; cuts inside a coordinate send nothing and
/// are left out. Precondition: the schedule has been checked.
[[nodiscard]] std::vector<CutTraffic> cut_traffic(const Schedule& schedule, const Costs& costs);

/// Most bytes that stand ready on a coordinate for messages to come: those of the next few actions,
/// which are received ahead of their turn.
[[nodiscard]] std::int64_t message_bytes(const Schedule& schedule, PipeCoordinate coordinate,
                                         const Costs& costs);

/// What a rank of one coordinate exchanges along the tensor axis in a step. Where an activation's
/// values do not divide evenly the bytes are a mean of the ranks.
[[nodiscard]] ExchangeTraffic exchange_traffic(const Schedule& schedule, PipeCoordinate coordinate,
                                               const Costs& costs);

/// Bytes of weights that a coordinate gathers in a step.
[[nodiscard]] std::int64_t gather_traffic(const Schedule& schedule, PipeCoordinate coordinate,
                                          const Costs& costs);

/// Bytes of a room where the weights that a coordinate gathers in a step have places from gather to
/// release: see Places.
[[nodiscard]] std::int64_t gather_room(const Schedule& schedule, PipeCoordinate coordinate,
                                       const Costs& costs);

/// Bytes that each of `ranks` sends of so many to hand slices of them to their owners, or all
/// others its own slice.
[[nodiscard]] std::int64_t scattered_bytes(std::int64_t bytes, int ranks);

}  // namespace civitas::schedule
