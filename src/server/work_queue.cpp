#include "civitas/server/work_queue.hpp"

#include "civitas/base/error.hpp"

#include <algorithm>

namespace civitas::server {

void WorkQueue::open(std::int64_t first, std::int64_t limit) {
    ensure(begun_.empty(), "steps are handed out when those before them have ended");
    next_ = updated_ = first;
    limit_ = limit;
}

void WorkQueue::stop() { limit_ = std::min(limit_, next_); }

void WorkQueue::ask(int worker) {
    if (std::find(asking_.begin(), asking_.end(), worker) == asking_.end())
        asking_.push_back(worker);
}

void WorkQueue::wait_within(WorkItem item, int worker) {
    if (!begun_.contains(item.step)) return;
    for (Holder& holder : part(item).holders)
        if (holder.worker == worker) holder.waits = true;
}

void WorkQueue::go_on(std::int64_t step, double now_s) {
    const auto begun = begun_.find(step);
    if (begun == begun_.end()) return;
    for (Part& p : begun->second)
        for (Holder& holder : p.holders) holder = {holder.worker, now_s, false};
}

bool WorkQueue::end(WorkItem item, int worker, double now_s) {
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
    constexpr double at_first = 10, times = 4;
    if (ended_ == 0) return at_first * options_.patience_s;
    return options_.patience_s + times * seconds_ / static_cast<double>(ended_);
}

std::set<int> WorkQueue::waiting() const {
    std::set<int> waiting, computing;
    for (const auto& [step, parts] : begun_)
        for (const Part& p : parts)
            for (const Holder& holder : p.holders)
                if (!p.ended) (holder.waits ? waiting : computing).insert(holder.worker);
    for (const int worker : computing) waiting.erase(worker);
    return waiting;
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
            if (last.worker != worker && !last.waits && now_s - last.since_s > patience())
                return WorkItem{step, static_cast<std::int64_t>(i)};
        }
    return std::nullopt;
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
        const int worker = asking_.front();
        auto item = free_item(worker);
        if (!item && begin_step()) item = free_item(worker);
        if (!item) item = late_item(worker, now_s);
        if (!item) return given;
        given.push_back(give(*item, worker, now_s));
        asking_.pop_front();
    }
    // Nobody is idle: who waits for the others makes what they do not.
    for (const int worker : waiting()) {
        auto item = free_item(worker);
        if (!item) item = late_item(worker, now_s);
        if (!item) continue;
        given.push_back(give(*item, worker, now_s));
        break;
    }
    return given;
}

}  // namespace civitas::server
