#pragma once
/// Replicas of the nets in one rank: each runs the same table over its part of the rank's
/// micro-batches, in a thread of its own, as so many ranks of the data axis would.
#include "civitas/base/micro_batch.hpp"
#include "civitas/parallel/executor.hpp"

#include <memory>
#include <vector>

namespace civitas::parallel {

/// What one replica holds of each net, in the order of the graph.
using ReplicaNets = std::vector<optim::NetParts>;

class Replicas {
public:
    /// `replicas`: one at least; each has layers and leaves of its own. The first is run by the
    /// thread that calls run(), each other one by a thread that lives as long as this and computes
    /// with as many threads as the caller has now. `task`: of the rank. Where there are several
    /// replicas it is asked for inputs, and told of losses and statistics, by all their threads at
    /// once; it is asked to reduce and to update by the first, with the threads of all, while the
    /// others wait. `pipeline`: without transport for several replicas. `micro_batches`: of the
    /// rank, which `replicas` divide.
    Replicas(std::vector<ReplicaNets> replicas, Task& task, const Pipeline& pipeline,
             std::int64_t micro_batches);
    Replicas(const Replicas&) = delete;
    Replicas& operator=(const Replicas&) = delete;
    ~Replicas();

    /// Every replica runs the list, see Executor::run(): a table of as many micro-batches as it has
    /// itself. What fails in one ends the step of all: the error that came first is thrown when
    /// all have come to rest. `observer`: is told of the first replica.
    void run(const std::vector<schedule::Action>& actions, ActionObserver* observer = nullptr,
             Launch launch = Launch::each);

    /// See Executor.
    void forget_graphs();

    [[nodiscard]] int count() const noexcept;
    /// Seconds that the first replica waited for the others since run() began last.
    [[nodiscard]] double waited() const noexcept;
    /// See Executor; bytes of all replicas together, most micro-batches of any.
    [[nodiscard]] std::int64_t peak_bytes() const noexcept;
    [[nodiscard]] std::int64_t peak_gathered_bytes() const noexcept;
    [[nodiscard]] std::int64_t peak_message_bytes() const noexcept;

private:
    class Team;
    std::unique_ptr<Team> team_;
};

}  // namespace civitas::parallel
