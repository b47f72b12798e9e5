#include "civitas/server/work_queue.hpp"

#include "civitas/base/error.hpp"

#include <algorithm>

namespace civitas::server {

std::int64_t parts_of_step(std::int64_t micro_batches, int workers) {
    std::int64_t in_part = 1;
    while (micro_batches % (2 * in_part) == 0 && micro_batches / (2 * in_part) >= workers)
        in_part *= 2;
    return micro_batches / in_part;
}

void WorkQueue::open(std::int64_t first, std::int64_t limit) {
    ensure(begun_.empty(), "steps are handed out when those before them have ended");
    next_ = updated_ = first;
    limit_ = limit;
}

void WorkQueue::stop() { limit_ = std::min(limit_, next_); }

void WorkQueue::ask(int worker) {
    within_.erase(worker);
    if (std::find(asking_.begin(), asking_.end(), worker) == asking_.end())
        asking_.push_back(worker);
}

void WorkQueue::wait_within(WorkItem item, int worker) { within_[worker] = item; }

bool WorkQueue::end(WorkItem item, int worker, double now_s) {
    within_.erase(worker);
    const auto step = begun_.find(item.step);
    if (step == begun_.end() || part(item).ended) return false;
    Part& ended = part(item);
    for (const Holder& holder : ended.holders) {
        if (holder.worker != worker) continue;
        seconds_ += now_s - holder.since_s;
        ++ended_;
    }
    ended.ended = true;
    const Parts& all = step->second;
    if (std::all_of(all.begin(), all.end(), [](const Part& p) { return p.ended; }))
        begun_.erase(step);
    return true;
}

double WorkQueue::patience() const {
    return options_.patience_s + (ended_ == 0 ? 0 : 4 * seconds_ / static_cast<double>(ended_));
}

bool WorkQueue::is_late(int worker, double now_s) const {
    for (const auto& [step, parts] : begun_)
        for (const Part& p : parts)
            for (const Holder& holder : p.holders)
                if (!p.ended && holder.worker == worker && now_s - holder.since_s > patience() &&
                    !within_.contains(worker))
                    return true;
    return false;
}

std::optional<WorkItem> WorkQueue::free_item(int worker) const {
    const auto before = last_part_.find(worker);
    for (const auto& [step, parts] : begun_) {
        const auto is_free = [](const Part& p) { return p.holders.empty(); };
        const auto first = std::find_if(parts.begin(), parts.end(), is_free);
        if (first == parts.end()) continue;
        if (before != last_part_.end() && is_free(parts[static_cast<std::size_t>(before->second)]))
            return WorkItem{step, before->second};
        return WorkItem{step, first - parts.begin()};
    }
    return std::nullopt;
}

bool WorkQueue::begin_step() {
    if (next_ >= limit_ || next_ > updated_ + options_.max_staleness) return false;
    begun_[next_++].resize(static_cast<std::size_t>(options_.parts));
    return true;
}

std::optional<WorkItem> WorkQueue::late_item(int worker, double now_s) const {
    for (const auto& [step, parts] : begun_)
        for (std::size_t i = 0; i < parts.size(); ++i) {
            if (parts[i].ended || parts[i].holders.empty()) continue;
            const Holder& last = parts[i].holders.back();
            const WorkItem item{step, static_cast<std::int64_t>(i)};
            const auto waits = within_.find(last.worker);
            const bool only_waits = waits != within_.end() && waits->second == item;
            if (last.worker != worker && !only_waits && now_s - last.since_s > patience())
                return item;
        }
    return std::nullopt;
}

std::optional<WorkItem> WorkQueue::item_for(int worker, double now_s) {
    if (auto item = free_item(worker)) return item;
    if (!within_.contains(worker) && begin_step()) return free_item(worker);
    return late_item(worker, now_s);
}

WorkQueue::Given WorkQueue::give(WorkItem item, int worker, double now_s) {
    Part& p = part(item);
    const auto from = p.holders.empty() ? std::nullopt : std::optional(p.holders.back().worker);
    p.holders.push_back({worker, now_s});
    last_part_[worker] = item.part;
    return {item, worker, from};
}

std::vector<WorkQueue::Given> WorkQueue::give(double now_s) {
    std::vector<Given> given;
    while (!asking_.empty()) {
        const auto item = item_for(asking_.front(), now_s);
        if (!item) return given;
        given.push_back(give(*item, asking_.front(), now_s));
        asking_.pop_front();
    }
    // Nobody is idle: who waits for the others makes what they do not.
    for (const auto& [worker, within] : within_) {
        if (is_late(worker, now_s)) continue;
        const auto item = item_for(worker, now_s);
        if (!item) continue;
        given.push_back(give(*item, worker, now_s));
        within_.erase(worker);
        break;
    }
    return given;
}

}  // namespace civitas::server
