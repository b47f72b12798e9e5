#pragma once
/// A training step as data: the nets that it trains, and how micro-batches pass through them.
#include "civitas/base/numbers.hpp"

#include <optional>
#include <string>
#include <vector>

namespace civitas::schedule {

/// The number of a net among those of a step.
enum class NetId : int {};
/// The number of a pass among those of a step.
enum class PassId : int {};

/// A pass of a step: every micro-batch goes through its net once in it.
struct Pass {
    std::string name;  ///< unique among the passes of its net: `real`
    NetId net{};
    /// The pass whose outputs are this one's inputs; none: the task's data.
    std::optional<PassId> input_from = {};
    /// The pass whose input gradients are those of this one's outputs; none: the task's loss, or
    /// nothing where other passes take the outputs.
    std::optional<PassId> gradient_from = {};
    bool weights = true;                     ///< whether its W makes leaves
    std::optional<NetId> after_update = {};  ///< waits for this net's update
    friend bool operator==(const Pass&, const Pass&) = default;
};

/// What tables, their check, the simulator and the executor know of a task. Passes that take the
/// outputs of one pass are of one net: the first of them gets the message, and its first stage
/// keeps the outputs for the others. A net's gradient is the sum over its passes with weights, in
/// the order of their numbers.
struct StepGraph {
    std::vector<std::string> nets;  ///< what a table calls them: `G`, `D`
    std::vector<Pass> passes;

    [[nodiscard]] const Pass& operator[](PassId pass) const {
        return passes.at(static_cast<std::size_t>(pass));
    }
    [[nodiscard]] const std::string& operator[](NetId net) const {
        return nets.at(static_cast<std::size_t>(net));
    }
    [[nodiscard]] std::vector<NetId> net_ids() const;
    [[nodiscard]] std::vector<PassId> pass_ids() const;

    /// The pass that gets the gradient of another pass' input; none: nobody wants it.
    [[nodiscard]] std::optional<PassId> gradient_to(PassId pass) const;
    /// The first and the last pass that take a pass' outputs.
    [[nodiscard]] std::optional<PassId> first_consumer(PassId pass) const;
    [[nodiscard]] std::optional<PassId> last_consumer(PassId pass) const;
    /// Whether the task's loss is taken of a pass' outputs.
    [[nodiscard]] bool ends_in_loss(PassId pass) const;
    /// Whether F of a pass can be run again from the task's data long after: its B waits for
    /// another pass.
    [[nodiscard]] bool is_redrawable(PassId pass) const;
    /// Passes with weights of a net, in the order of their sums.
    [[nodiscard]] std::vector<PassId> trained_by(NetId net) const;
    /// Whether a pass of a step waits for the update of a net.
    [[nodiscard]] bool is_awaited(NetId net) const;
    /// The order of updates: a net whose gradients come through another's update after that one.
    [[nodiscard]] std::vector<NetId> update_order() const;

    /// What makes that no table can be made for the graph; nothing where tables can. Every net has
    /// a pass with weights. A pass whose input gradients another takes makes no leaves, and ends in
    /// a loss: gradients go back through one pass of another net. Passes go by their number:
    /// outputs are taken by later ones, and no nets wait for each other's updates.
    [[nodiscard]] std::optional<std::string> flaw() const;

    friend bool operator==(const StepGraph&, const StepGraph&) = default;
};

}  // namespace civitas::schedule
