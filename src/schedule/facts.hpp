#pragma once
/// What has been done of a table, and when: a column of micro-batches for each visit of a stage.
#include "civitas/schedule/schedule.hpp"

#include <limits>
#include <optional>
#include <vector>

namespace civitas::schedule {

/// Something done, and where: F, B, W, redraw or recompute of a visit, reduce or step of a net.
/// Never BW: that is B and W.
struct Fact {
    Action action;
    int coordinate = 0;
};
[[nodiscard]] std::vector<Fact> facts_of(const Action& action, int coordinate);

/// Facts of visits are told apart by their action: a stage lives on one coordinate. Preconditions:
/// stages and micro-batches are not below zero, and no more than somebody has checked.
class Facts {
public:
    /// False when it is there already.
    bool add(const Fact& fact, double seconds = 0);
    [[nodiscard]] std::optional<double> find(const Fact& fact) const;
    [[nodiscard]] bool contains(const Fact& fact) const { return find(fact).has_value(); }

private:
    std::vector<std::vector<double>> columns_;  ///< of net, stage, pass and kind; NaN: not done
};

}  // namespace civitas::schedule
