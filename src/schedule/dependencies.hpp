#pragma once
/// What an action needs before it can run: the one definition that the check, the simulator and the
/// merging of tables share.
#include "facts.hpp"

#include <vector>

namespace civitas::schedule {

class Needs {
public:
    Needs(const Schedule& schedule, int stages, std::int64_t micro_batches);

    /// Facts whose results the action uses, or that keep the order of sums.
    [[nodiscard]] std::vector<Fact> of(const Action& action, int coordinate) const;

private:
    [[nodiscard]] Fact made(const Action& action) const;
    [[nodiscard]] bool has(const Action& action, Kind kind) const;
    void add_forward(const Action& a, int coordinate, std::vector<Fact>& needs) const;
    void add_again(const Action& a, std::vector<Fact>& needs) const;
    void add_backward(const Action& a, std::vector<Fact>& needs) const;
    void add_weights(const Action& a, std::vector<Fact>& needs) const;
    void add_reduce(const Action& a, int coordinate, std::vector<Fact>& needs) const;

    StagePlacement placement_;
    int stages_ = 0;
    std::int64_t micro_batches_ = 0;
    Facts again_;  ///< every redraw and recompute of the table
};

}  // namespace civitas::schedule
