#pragma once
/// How far tiles are read before their turn.

namespace civitas::planner {

/// Micro-batches that a rank keeps ready beside the one in use.
inline constexpr int micro_batches_ahead = 4;

}  // namespace civitas::planner
