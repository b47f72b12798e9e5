#pragma once
/// Sums of many integers over ranks: those do not depend on the order.
#include "civitas/comm/communicator.hpp"

#include <cstdint>
#include <span>

namespace civitas::comm {

/// Sums `values` over ranks in place, element by element and modulo 2^64; every rank brings as
/// many. Collective.
void sum_in_place(const Communicator& ranks, std::span<std::uint64_t> values);

}  // namespace civitas::comm
