#include "tally.hpp"

#include <sstream>

namespace civitas::maps {

Tally total(const comm::Communicator& ranks, const Tally& mine) {
    std::ostringstream lines;
    for (const auto& [reason, count] : mine) lines << count << ' ' << reason << '\n';
    Tally sums;
    for (const auto& of_rank : ranks.all_gather(lines.str())) {
        std::istringstream in(of_rank);
        std::int64_t count = 0;
        std::string reason;
        while (in >> count && in.ignore() && std::getline(in, reason)) sums[reason] += count;
    }
    return sums;
}

}  // namespace civitas::maps
