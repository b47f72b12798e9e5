#pragma once
/// How many stages the nets of a step have.
#include "civitas/schedule/step_graph.hpp"

#include <vector>

namespace civitas::schedule {

/// The number of stages of each net, which need not be the same.
struct StageCounts {
    std::vector<int> nets;  ///< by NetId

    [[nodiscard]] int operator[](NetId net) const { return nets.at(static_cast<std::size_t>(net)); }
    /// The stage that gives the output of a net.
    [[nodiscard]] StageId last_of(NetId net) const { return last_stage((*this)[net]); }
    friend bool operator==(const StageCounts&, const StageCounts&) = default;
};

/// Counts the stages of nets of which each is given as a list of something for every stage.
template <class Stage>
[[nodiscard]] StageCounts stage_counts_of(const std::vector<std::vector<Stage>>& nets) {
    StageCounts counts;
    for (const auto& stages : nets) counts.nets.push_back(static_cast<int>(stages.size()));
    return counts;
}

}  // namespace civitas::schedule
