#pragma once
/// Which worker computes which part of which step, where weights lie on servers.
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace civitas::server {

/// A part of the micro-batches of a step.
struct WorkItem {
    std::int64_t step = 0;  ///< from 0
    std::int64_t part = 0;
    friend auto operator<=>(const WorkItem&, const WorkItem&) = default;
};

struct QueueOptions {
    std::int64_t parts = 1;          ///< of a step
    std::int64_t max_staleness = 0;  ///< most updates that the weights of a gradient may lack
    /// How long a worker may keep an item, beside four times what one took in the mean; ten times
    /// this until the first one has ended.
    double patience_s = 1;
};

/// Hands out the parts of steps, one after the other, each to one worker. A step may be begun when
/// no more updates than --max-staleness are missing. What a worker keeps for long is given to
/// another one, too, and what ends first counts: so a worker that has been stopped delays nobody
/// for ever.
class WorkQueue {
public:
    explicit WorkQueue(QueueOptions options) : options_(options) {}

    /// An item, the worker that gets it, and the one that keeps it too long, if one does.
    struct Given {
        WorkItem item;
        int worker = 0;
        std::optional<int> instead_of;
    };

    /// Hands out steps from `first` to below `limit` from now on. Precondition: is_done().
    void open(std::int64_t first, std::int64_t limit);
    /// Begins no further step; those that are begun are ended.
    void stop();
    /// A worker has nothing to do.
    void ask(int worker);
    /// A worker waits within its item until others have come as far.
    void wait_within(WorkItem item, int worker);
    /// What is waited for within the items of a step has come.
    void go_on(std::int64_t step, double now_s);
    /// A worker has ended an item. Returns whether it is the first to do so.
    bool end(WorkItem item, int worker, double now_s);
    /// So many steps have been updated.
    void update(std::int64_t steps) { updated_ = steps; }
    /// What is to be given to whom now.
    [[nodiscard]] std::vector<Given> give(double now_s);
    /// The first step that is not handed out.
    [[nodiscard]] std::int64_t limit() const { return limit_; }
    /// Whether all steps below the limit have ended and been updated.
    [[nodiscard]] bool is_done() const { return begun_.empty() && updated_ >= limit_; }

private:
    struct Holder {
        int worker;
        double since_s;
        bool waits = false;  ///< for others
    };
    struct Part {
        std::vector<Holder> holders;  ///< the last one is the newest
        bool ended = false;
    };
    using Parts = std::vector<Part>;

    /// A part that nobody has got, of a step that is begun: the one that this worker had of the
    /// step before, if it is free, since its tiles are read ahead.
    [[nodiscard]] std::optional<WorkItem> free_item(int worker) const;
    [[nodiscard]] bool begin_step();
    /// What somebody else keeps too long.
    [[nodiscard]] std::optional<WorkItem> late_item(int worker, double now_s) const;
    [[nodiscard]] Given give(WorkItem item, int worker, double now_s);
    [[nodiscard]] double patience() const;
    [[nodiscard]] Part& part(WorkItem item) {
        return begun_.at(item.step).at(static_cast<std::size_t>(item.part));
    }
    /// Workers that wait within all that they have begun.
    [[nodiscard]] std::set<int> waiting() const;

    QueueOptions options_;
    std::int64_t next_ = 0, limit_ = 0, updated_ = 0;
    std::map<std::int64_t, Parts> begun_;  ///< steps of which not all parts have ended
    std::deque<int> asking_;
    std::map<int, std::int64_t> last_part_;
    double seconds_ = 0;  ///< of the items that have ended
    std::int64_t ended_ = 0;
};

}  // namespace civitas::server
