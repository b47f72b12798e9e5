#include "civitas/environment/hang.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"

#include <algorithm>
#include <iomanip>
#include <utility>

namespace civitas::environment {
namespace {

std::string seconds(double s) { return fixed(s, 1) + " s"; }

/// The time of the newest post; 0 where there is none, since nobody can be further behind.
NodeTime last_post(const RankState& rank) { return rank.posts.empty() ? 0 : rank.posts.back().at; }

Activity last_activity(const RankState& rank) {
    return rank.posts.empty() ? Activity{} : rank.posts.back().activity;
}

bool waits(const RankState& rank) { return !last_activity(rank).awaited.empty(); }

double since(const Standstill& s, NodeTime at) { return 1e-9 * static_cast<double>(s.now - at); }

bool is_stopped(const Standstill& s, const RankState& rank) {
    return rank.unseen_s > s.limit_s / 2;
}

bool awaits_other_node(const Standstill& s, const RankState& rank) {
    const RankRow row = last_activity(rank).awaited;
    for (int i = 0; i < row.count; ++i) {
        const Rank awaited{row.first + i * row.stride};
        if (std::none_of(s.ranks.begin(), s.ranks.end(),
                         [&](const RankState& here) { return here.rank == awaited; }))
            return true;
    }
    return false;
}

/// `rank 1 (data=0,pipe=1,tensor=0)`
std::string named(const RankState& rank) {
    return text("rank ", index(rank.rank), " (", to_string(rank.coordinate), ')');
}

std::string where(const Activity& activity, const Words& words) {
    return text(activity.step > 0 ? text("step ", activity.step, ", ") : "", words(activity),
                activity.source >= 0 ? text(", input from rank ", activity.source) : "");
}

std::string doing(const RankState& rank, const Words& words) {
    if (rank.posts.empty()) return "nothing so far";
    const Activity activity = last_activity(rank);
    return where(activity, words) +
           (waits(rank) ? ", waits for " + to_string(activity.awaited) : std::string());
}

std::string actions_of(const Standstill& s, const RankState& rank, const Words& words) {
    std::ostringstream lines;
    lines << "last actions of " << named(rank) << ", seconds before this report:\n";
    for (const Posted& posted : rank.posts) {
        lines << std::fixed << std::setprecision(6) << std::setw(16) << since(s, posted.begun)
              << "  " << where(posted.activity, words);
        if (!posted.activity.awaited.empty())
            lines << ", waits for " << to_string(posted.activity.awaited);
        lines << '\n';
    }
    return lines.str();
}

template <class Less, class Fits>
const RankState* least(const Standstill& s, const Less& value, const Fits& fits) {
    const RankState* found = nullptr;
    for (const RankState& rank : s.ranks)
        if (fits(rank) && (found == nullptr || value(rank) < value(*found))) found = &rank;
    return found;
}

}  // namespace

std::optional<Blame> blame(const Standstill& s) {
    const auto unseen = [](const RankState& rank) { return -rank.unseen_s; };
    const auto stopped = [&](const RankState& rank) { return is_stopped(s, rank); };
    if (const auto* rank = least(s, unseen, stopped)) return Blame{Suspicion::stopped, rank->rank};
    const auto busy = [](const RankState& rank) { return !waits(rank); };
    if (const auto* rank = least(s, last_post, busy)) return Blame{Suspicion::busy, rank->rank};
    if (std::any_of(s.ranks.begin(), s.ranks.end(),
                    [&](const RankState& rank) { return awaits_other_node(s, rank); }))
        return Blame{Suspicion::elsewhere, {}};
    const auto any = [](const RankState& /*rank*/) { return true; };
    if (const auto* rank = least(s, last_post, any)) return Blame{Suspicion::awaited, rank->rank};
    return std::nullopt;
}

std::string headline(const Standstill& s, const Words& words) {
    const auto found = blame(s);
    if (!found) return "no rank is known";
    if (found->suspicion == Suspicion::elsewhere)
        return text(
            "all ranks of this node wait, also for ranks of other nodes, and none has moved "
            "for ",
            seconds(s.limit_s), ": the report of another node may name who does not");
    const auto rank = std::find_if(s.ranks.begin(), s.ranks.end(),
                                   [&](const RankState& r) { return r.rank == found->rank; });
    const std::string at = ": " + doing(*rank, words);
    const std::string still =
        rank->posts.empty() ? "" : " for " + seconds(since(s, last_post(*rank)));
    switch (found->suspicion) {
        case Suspicion::stopped:
            return text(named(*rank), " is stopped: process ", rank->process,
                        " has not been seen to run for ", seconds(rank->unseen_s), at);
        case Suspicion::busy:
            return text(named(*rank), " has not moved", still, ", and waits for no other rank", at);
        default: break;
    }
    return text("the ranks of this node wait for each other, ", named(*rank), " longest", still,
                at);
}

std::string ranks_in_words(const Standstill& s, const Words& words) {
    std::string lines;
    for (const RankState& rank : s.ranks) {
        lines += text(named(rank), ", process ", rank.process, ": ", doing(rank, words));
        if (!rank.posts.empty()) lines += ", since " + seconds(since(s, last_post(rank)));
        if (is_stopped(s, rank)) lines += ", does not run since " + seconds(rank.unseen_s);
        lines += '\n';
    }
    return lines;
}

std::string report(const Standstill& s, const Words& words) {
    std::string all = text(headline(s, words), "\n\n", s.time, " on ", s.host, ", limit ",
                           seconds(s.limit_s), ", the job is ended after another ",
                           seconds(s.grace_s), "\n\n", ranks_in_words(s, words));
    for (const RankState& rank : s.ranks) all += '\n' + actions_of(s, rank, words);
    return all;
}

Alarm StandstillDetector::look(const Glance& glance, double elapsed_s) {
    if (glance.progress != progress_) {
        const bool first = !std::exchange(progress_, glance.progress);
        quiet_s_ = 0;
        told_at_s_.reset();
        return glance.told && !first ? Alarm::over : Alarm::none;
    }
    const double before_s = quiet_s_;
    quiet_s_ += std::min(elapsed_s, 2 * patience_.interval_s);
    const bool patient = glance.takes_long && !glance.stopped;
    if (quiet_s_ < patience_.limit_s * (patient ? patience_.of_long_work : 1)) return Alarm::none;
    if (!glance.told) return Alarm::standstill;
    if (!told_at_s_) told_at_s_ = before_s;
    return quiet_s_ >= *told_at_s_ + patience_.grace_s ? Alarm::end : Alarm::none;
}

}  // namespace civitas::environment
