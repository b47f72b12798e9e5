#pragma once
/// What has been done of a table, and by which action: a column of micro-batches for each visit of
/// a stage.
#include "civitas/schedule/schedule.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace civitas::schedule {

/// Something done, and where: F, B, W, redraw or recompute of a visit, reduce or step of a net.
/// Never BW: that is B and W. Never gather and release, which are done again and again.
struct Completion {
    Action action;
    PipeCoordinate coordinate{};
    friend bool operator==(const Completion&, const Completion&) = default;
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

    /// Takes down the number of the action that did it. False when it is there already.
    bool add(const Completion& completion, std::int64_t number = 0);
    /// The number of the action that did it.
    [[nodiscard]] std::optional<std::int64_t> find(const Completion& completion) const;
    [[nodiscard]] bool contains(const Completion& completion) const {
        return find(completion).has_value();
    }

private:
    [[nodiscard]] std::size_t column_of(const Action& action) const;

    std::int64_t passes_;
    /// Of net, stage, pass and kind; -1: not done.
    std::vector<std::vector<std::int64_t>> columns_;
};

}  // namespace civitas::schedule
