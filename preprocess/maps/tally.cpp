#include "tally.hpp"

#include "civitas/base/error.hpp"
#include "words.hpp"

#include <algorithm>
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

std::string largest_of(const Tally& left_out) {
    constexpr std::size_t most = 3;
    std::vector<std::pair<std::int64_t, std::string>> by_size;
    for (const auto& [reason, count] : left_out)
        if (count > 0) by_size.emplace_back(-count, reason);
    std::sort(by_size.begin(), by_size.end());
    std::vector<std::string> named;
    for (std::size_t i = 0; i < std::min(most, by_size.size()); ++i)
        named.push_back(text(by_size[i].second, " (", -by_size[i].first, ")"));
    return join(named, ", ");
}

}  // namespace civitas::maps
