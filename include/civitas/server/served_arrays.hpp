#pragma once
/// What a server has of a net.
#include "civitas/optim/optimizer.hpp"
#include "civitas/server/work_queue.hpp"

#include <map>
#include <vector>

namespace civitas::server {

/// The gradients of parts of a step as they come: of one net, flat, one row for each pass.
using PartGradient = at::Tensor;

/// Weights, moments and mean of the elements that a server owns, and gradients that wait for those
/// of the other parts of their steps.
class ServedArrays {
public:
    /// `type`: of the numbers; `parts`: of a step. What is owned is not set: see load().
    ServedArrays(const net::ArenaLayout& layout, const net::ArenaRuns& own,
                 const optim::OptimizerOptions& optimizer, double ema, at::ScalarType type,
                 std::int64_t parts);

    /// Updates that have been made; below 0 before load().
    [[nodiscard]] std::int64_t version() const noexcept { return version_; }
    /// Takes the gradient of a part, `passes_PE` (passes, elements), which is summed in place.
    /// Returns whether it is the first one of that part, and not of a step that has been updated.
    bool put(WorkItem item, PartGradient passes_PE);
    /// Makes the next update if all parts of its step have come: sums each pass over the parts in
    /// tree order, then the passes in their order. Returns whether it did. Throws Error where the
    /// sum is not finite.
    bool update();

    [[nodiscard]] const at::Tensor& weights() const noexcept { return weights_.flat(); }
    [[nodiscard]] const optim::Optimizer& optimizer() const noexcept { return optimizer_; }
    /// Most gradients of parts that wait at once: those of a step, which its update sums, or more
    /// if there have been more.
    [[nodiscard]] std::int64_t most_waiting() const noexcept { return most_waiting_; }
    /// Weights, moments and, where it is kept, the mean.
    [[nodiscard]] std::vector<at::Tensor> state() const;
    /// Goes on after so many updates, whose state has been written.
    void load(std::int64_t version);

private:
    optim::ArenaShard weights_;
    optim::Optimizer optimizer_;
    std::int64_t parts_;
    std::int64_t version_ = -1;
    std::int64_t most_waiting_;
    std::map<std::int64_t, std::map<std::int64_t, PartGradient>> waiting_;  ///< by step and part
};

}  // namespace civitas::server
