#pragma once
/// What was left out, and how often.
#include "civitas/comm/communicator.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace civitas::maps {

using Tally = std::map<std::string, std::int64_t>;

/// The reasons that count land cover taken as other begin so, and end with the map's word for it.
inline constexpr const char* unknown_land_cover = "land cover taken as other, unknown: '";

/// The sums over all ranks, the same on each. Collective. Reasons hold no line breaks. Of those
/// with words of the map the commonest 100 stay, the others become one.
[[nodiscard]] Tally total(const comm::Communicator& ranks, const Tally& mine);

/// The largest three: "objects that have ended (144), ..."; empty if there are none.
[[nodiscard]] std::string largest_of(const Tally& left_out);

}  // namespace civitas::maps
