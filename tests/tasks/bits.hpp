#pragma once
/// The bits that a run leaves, as lines that can be compared.
#include "civitas/base/hash.hpp"
#include "gan_runs.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <sstream>
#include <string>

namespace civitas::tasks::runs {

/// A line per array and per step. Replicas that differ give more lines than one.
using Bits = std::set<std::string>;

inline std::uint64_t checksum_of(const at::Tensor& array) {
    const at::Tensor values = array.contiguous();
    const auto count = static_cast<std::size_t>(values.numel());
    if (values.scalar_type() == at::kDouble)
        return checksum(0, std::span(values.const_data_ptr<double>(), count));
    return checksum(0, std::span(values.const_data_ptr<float>(), count));
}

/// What this rank has of them.
inline std::string lines_of(const Ours& run) {
    std::ostringstream lines;
    for (const parallel::ModelState* net : {&run.models.generator, &run.models.discriminator})
        for (const auto& [name, array] : net->arrays())
            lines << name << ' ' << hex(checksum_of(array.view)) << '\n';
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
    for (const std::string& mine : ranks.all_gather(lines_of(run))) {
        std::istringstream lines(mine);
        for (std::string line; std::getline(lines, line);) bits.insert(line);
    }
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
