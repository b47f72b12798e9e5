#pragma once
/// How many activations a step keeps, as the executor counts them and the simulator foretells.
#include <cstdint>
#include <vector>

namespace civitas::schedule {

/// By net: visits of its stages whose activations live at once at most: micro-batches, where a
/// coordinate holds one stage of it.
using KeptPeak = std::vector<std::int64_t>;

}  // namespace civitas::schedule
