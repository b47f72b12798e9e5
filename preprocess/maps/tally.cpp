#include "tally.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"

#include <algorithm>
#include <sstream>

namespace civitas::maps {
namespace {

using Counts = std::vector<std::pair<std::int64_t, std::string>>;

/// What begins so, the largest count first.
Counts by_size(const Tally& tally, std::string_view begin) {
    Counts counts;
    for (const auto& [reason, count] : tally)
        if (count > 0 && reason.starts_with(begin)) counts.emplace_back(count, reason);
    std::stable_sort(counts.begin(), counts.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    return counts;
}

/// A field of names would give a store an attribute for each.
void sum_up_rare_words(Tally& tally) {
    constexpr std::size_t most = 100;
    const auto counts = by_size(tally, unknown_land_cover);
    for (std::size_t i = most; i < counts.size(); ++i) {
        tally["land cover taken as other, unknown: rarer words"] += counts[i].first;
        tally.erase(counts[i].second);
    }
}

}  // namespace

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
    sum_up_rare_words(sums);
    return sums;
}

std::string largest_of(const Tally& left_out) {
    constexpr std::size_t most = 3;
    auto counts = by_size(left_out, "");
    counts.resize(std::min(most, counts.size()));
    std::vector<std::string> named;
    for (const auto& [count, reason] : counts) named.push_back(text(reason, " (", count, ")"));
    return join(named, ", ");
}

}  // namespace civitas::maps
