#pragma once
/// The bits that a run leaves, as lines that can be compared.
#include "civitas/base/hash.hpp"
#include "gan_runs.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>

namespace civitas::tasks::runs {

/// A line per array and per step. Replicas that differ give more lines than one.
using Bits = std::set<std::string>;

/// Of the rows that are held: those of parts of an array add up to that of the whole.
inline std::uint64_t checksum_of(const optim::LocalArray& array) {
    const at::Tensor values = array.view.contiguous();
    const auto count = static_cast<std::size_t>(values.numel());
    const std::int64_t row = values.numel() / std::max<std::int64_t>(array.box.at(0).count, 1);
    const auto first = static_cast<std::uint64_t>(array.box.at(0).begin * row);
    if (values.scalar_type() == at::kDouble)
        return checksum(first, std::span(values.const_data_ptr<double>(), count));
    return checksum(first, std::span(values.const_data_ptr<float>(), count));
}

inline constexpr const char* part_of_array = "part ";

/// What this rank has of them.
inline std::string lines_of(const Ours& run) {
    std::ostringstream lines;
    for (const auto& net : run.models.all())
        for (const auto& [name, array] : net->arrays())
            lines << (array.split_over_data ? part_of_array : "") << name << ' '
                  << hex(checksum_of(array)) << '\n';
    lines << std::hexfloat;
    for (std::size_t s = 0; s < run.values.size(); ++s) {
        lines << "step " << s + 1;
        for (const StepValue& value : run.values[s]) lines << ' ' << value.value;
        lines << '\n';
    }
    return lines.str();
}

/// Of all ranks. Collective.
inline Bits bits_of(const comm::Communicator& ranks, const Ours& run) {
    Bits bits;
    std::map<std::string, std::uint64_t> sums;
    for (const std::string& mine : ranks.all_gather(lines_of(run))) {
        std::istringstream lines(mine);
        for (std::string line; std::getline(lines, line);) {
            if (!line.starts_with(part_of_array)) {
                bits.insert(line);
                continue;
            }
            const std::size_t name = std::string(part_of_array).size(), sum = line.rfind(' ');
            sums[line.substr(name, sum - name)] += std::stoull(line.substr(sum + 1), nullptr, 16);
        }
    }
    for (const auto& [name, sum] : sums) bits.insert(name + ' ' + hex(sum));
    return bits;
}

/// Where two runs first differ; empty when they do not.
inline std::string difference(const Bits& a, const Bits& b) {
    Bits apart;
    std::set_symmetric_difference(a.begin(), a.end(), b.begin(), b.end(),
                                  std::inserter(apart, apart.end()));
    return apart.empty() ? "" : text(apart.size(), " lines differ, first ", *apart.begin());
}

}  // namespace civitas::tasks::runs
