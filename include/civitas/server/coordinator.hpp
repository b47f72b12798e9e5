#pragma once
/// The root's work: who makes what, and what has come of it.
#include "civitas/base/clock.hpp"
#include "civitas/base/server_roles.hpp"
#include "civitas/server/worker.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace civitas::server {

/// What came of a part of a step.
struct PartFigures {
    Envelope envelope;
    std::vector<double> numbers;
};
struct EndedStep {
    std::int64_t step = 0;
    std::vector<PartFigures> parts;  ///< in order
};

class Coordinator {
public:
    /// `figures`: numbers that are told of each part. `on_late`: is told of items that are given to
    /// another worker, too. `endpoint` must outlive this.
    Coordinator(Endpoint& endpoint, const ServerRoles& roles, const QueueOptions& options,
                std::int64_t figures, std::function<void(const WorkQueue::Given&)> on_late);

    /// Steps from `first` to below `limit` are to be made.
    void open(std::int64_t first, std::int64_t limit) { queue_.open(first, limit); }
    /// Begins no further step.
    void stop() { queue_.stop(); }
    /// Takes messages and gives orders. Throws AgreedError for the error of a worker, with its
    /// rank.
    void poll();
    /// Servers wait for a net's update before they can end a part.
    void part_waits(WorkItem item, std::int64_t worker) {
        queue_.wait_within(item, static_cast<int>(worker));
    }
    /// A net that is waited for within the parts of a step has been updated.
    void part_goes_on(std::int64_t step) { queue_.go_on(step, clock_.seconds()); }
    void updated(std::int64_t steps) { queue_.update(steps); }
    [[nodiscard]] bool is_done() const { return queue_.is_done(); }
    /// The step after the last one that is made in this round.
    [[nodiscard]] std::int64_t limit() const { return queue_.limit(); }
    /// Steps of which all parts have ended since this was asked last, in order.
    [[nodiscard]] std::vector<EndedStep> ended_steps();
    /// Lets all ranks go: with the end of the run, or because of an error. Returns those of the
    /// others that have not answered in so many seconds.
    [[nodiscard]] std::vector<Rank> end(const Order& order, double seconds);

private:
    void take_figures(Rank worker);

    Endpoint& endpoint_;
    ServerRoles roles_;
    WorkQueue queue_;
    std::int64_t parts_;
    std::function<void(const WorkQueue::Given&)> on_late_;
    Stopwatch clock_;
    std::map<std::int64_t, std::map<std::int64_t, PartFigures>> figures_;  ///< by step and part
};

}  // namespace civitas::server
