#pragma once
/// The root's work: who makes what, and what has come of it.
#include "civitas/base/clock.hpp"
#include "civitas/base/server_roles.hpp"
#include "civitas/server/worker.hpp"

#include <functional>
#include <map>
#include <string>
#include <utility>
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
    /// When its last part had come, and those of all steps before it: after the step before it, or
    /// the begin of the round; and since 1970.
    double seconds = 0, time = 0;
};

class Coordinator {
public:
    /// `figures`: numbers that are told of each part. `on_late`: is told of items that are given to
    /// another worker, too. `endpoint` must outlive this.
    Coordinator(Endpoint& endpoint, const ServerRoles& roles, const QueueOptions& options,
                std::int64_t figures, std::function<void(const WorkQueue::Given&)> on_late);

    /// Steps from `first` to below `limit` are to be made.
    void open(std::int64_t first, std::int64_t limit) {
        queue_.open(first, limit);
        since_step_.restart();
    }
    /// Begins no further step.
    void stop() { queue_.stop(); }
    /// Takes messages and gives orders. Throws AgreedError for the error of a rank, with its
    /// number.
    void poll();
    [[nodiscard]] bool has_told_of_error() const { return has_told_of_error_; }
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
    [[nodiscard]] std::vector<EndedStep> ended_steps() { return std::exchange(ended_, {}); }
    /// Lets all ranks go: with the end of the run, or because of an error. Returns those of the
    /// others that have not answered in so many seconds.
    [[nodiscard]] std::vector<Rank> end(const Order& order, double seconds);

private:
    void take_figures(Rank worker);
    void end_steps();

    Endpoint& endpoint_;
    ServerRoles roles_;
    WorkQueue queue_;
    std::int64_t parts_;
    std::function<void(const WorkQueue::Given&)> on_late_;
    Stopwatch clock_, since_step_;
    /// By step and part, of steps that have not ended.
    std::map<std::int64_t, std::map<std::int64_t, PartFigures>> figures_;
    std::vector<EndedStep> ended_;  ///< not asked for yet
    bool has_told_of_error_ = false;
};

}  // namespace civitas::server
