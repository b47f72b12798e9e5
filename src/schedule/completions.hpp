#pragma once
/// What has been done of a table, and when: a column of micro-batches for each visit of a stage.
#include "civitas/schedule/schedule.hpp"

#include <limits>
#include <optional>
#include <vector>

namespace civitas::schedule {

/// Something done, and where: F, B, W, redraw or recompute of a visit, reduce or step of a net.
/// Never BW: that is B and W. Never gather and release, which are done again and again.
struct Completion {
    Action action;
    PipeCoordinate coordinate{};
};
[[nodiscard]] std::vector<Completion> completions_of(const Action& action,
                                                     PipeCoordinate coordinate);

/// Completions of visits are told apart by their action: a stage lives on one coordinate.
/// Preconditions: stages and micro-batches are not below zero, and no more than somebody has
/// checked.
class Completions {
public:
    /// Of actions of this graph.
    explicit Completions(const StepGraph& graph) : passes_(std::ssize(graph.passes)) {}

    /// False when it is there already.
    bool add(const Completion& completion, double seconds = 0);
    [[nodiscard]] std::optional<double> find(const Completion& completion) const;
    [[nodiscard]] bool contains(const Completion& completion) const {
        return find(completion).has_value();
    }

private:
    [[nodiscard]] std::size_t column_of(const Action& action) const;

    std::int64_t passes_;
    std::vector<std::vector<double>> columns_;  ///< of net, stage, pass and kind; NaN: not done
};

}  // namespace civitas::schedule
