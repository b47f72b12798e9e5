#pragma once
/// Whether what was read is what was meant.
#include "features.hpp"

namespace civitas::maps {

/// The sums over all ranks, by task. Collective.
[[nodiscard]] std::vector<TaskCount> total(const comm::Communicator& ranks,
                                           const std::vector<TaskCount>& mine);

/// "read 2 506 buildings, 873 roads (lines, 6 m unless width says)".
[[nodiscard]] std::string what_was_read(const Settings& settings, const Plan& plan,
                                        const std::vector<TaskCount>& counts);

/// Throws UsageError or Error that names the cause: a condition that matches nothing, layers that
/// are swapped, coordinates in another system than the map says, land cover in unknown words.
void require_meant(const Settings& settings, const Plan& plan, const std::vector<TaskCount>& counts,
                   const Tally& left_out);

}  // namespace civitas::maps
