#pragma once
/// How many activations a step keeps, as the executor counts them and the simulator foretells.
#include <cstdint>

namespace civitas::schedule {

/// Visits of a net whose activations live at once at most: micro-batches, where a coordinate holds
/// one stage of it.
struct KeptPeak {
    std::int64_t generator = 0;
    std::int64_t discriminator = 0;
    friend bool operator==(const KeptPeak&, const KeptPeak&) = default;
};

}  // namespace civitas::schedule
