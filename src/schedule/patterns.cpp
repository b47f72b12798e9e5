#include "patterns.hpp"

#include "civitas/schedule/actions.hpp"

#include <algorithm>
#include <functional>

namespace civitas::schedule {
namespace {

/// Writes the list of one coordinate, `position` along the net's direction. A unit is a chunk's
/// turn with a micro-batch: P micro-batches go through all chunks before the next P begin.
class Writer {
public:
    Writer(Pattern pattern, const ScheduleShape& shape, const Part& part, int position)
        : pattern_(pattern),
          shape_(shape),
          part_(part),
          position_(position),
          units_(part.micros.count * shape.chunks) {}

    std::vector<Action> write() {
        const std::int64_t warm_up = std::min(most_warm_up(), units_);
        for (std::int64_t k = 0; k < warm_up; ++k) add(Kind::F, k);
        for (std::int64_t k = 0; k < units_; ++k) {
            if (warm_up + k < units_) add(Kind::F, warm_up + k);
            backward(k);
        }
        if (pattern_ == Pattern::zero_bubble)
            for (auto k = std::max<std::int64_t>(0, units_ - position_); k < units_; ++k)
                add(Kind::W, k);
        return std::move(actions_);
    }

private:
    /// F before the first backward.
    [[nodiscard]] std::int64_t most_warm_up() const {
        if (pattern_ == Pattern::gpipe) return units_;
        const int after = shape_.coordinates - 1 - position_;
        return shape_.chunks == 1 ? after : after * 2 + (shape_.chunks - 1) * shape_.coordinates;
    }

    /// W of a coordinate lags by its position: the last ones fill the time until the pass has left
    /// the first coordinate.
    void backward(std::int64_t unit) {
        if (pattern_ != Pattern::zero_bubble) return add(Kind::BW, unit);
        add(Kind::B, unit);
        if (unit >= position_) add(Kind::W, unit - position_);
    }

    void add(Kind kind, std::int64_t unit) {
        const std::int64_t coordinates = shape_.coordinates;
        const std::int64_t group = unit / (coordinates * shape_.chunks);
        const std::int64_t within = unit % (coordinates * shape_.chunks);
        int chunk = static_cast<int>(within / coordinates);
        if (kind != Kind::F) chunk = shape_.chunks - 1 - chunk;
        const LocalMicroBatch micro{part_.micros.begin + group * coordinates +
                                    within % coordinates};
        const StageId stage{chunk * shape_.coordinates + position_};
        actions_.push_back({part_.net, stage, part_.pass, kind, micro});
    }

    Pattern pattern_;
    const ScheduleShape& shape_;
    const Part& part_;
    int position_;
    std::int64_t units_;
    std::vector<Action> actions_;
};

Lists only(Lists lists, const std::function<bool(const Action&)>& wanted) {
    for (auto& actions : lists) std::erase_if(actions, [&](const Action& a) { return !wanted(a); });
    return lists;
}

Lists renamed(Lists lists, Kind from, Kind to) {
    for (auto& actions : lists)
        for (Action& a : actions)
            if (a.kind == from) a.kind = to;
    return lists;
}

}  // namespace

Lists lists_of(Pattern pattern, const ScheduleShape& shape, const Part& part) {
    const bool reversed = shape.reversed && index(part.net) > 0;
    Lists lists;
    for (int c = 0; c < shape.coordinates; ++c) {
        const int position = reversed ? shape.coordinates - 1 - c : c;
        lists.push_back(Writer(pattern, shape, part, position).write());
    }
    return lists;
}

Lists forward_of(Lists lists) {
    return only(std::move(lists), [](const Action& a) { return a.kind == Kind::F; });
}

Lists backward_of(Lists lists) {
    return only(std::move(lists), [](const Action& a) { return a.kind != Kind::F; });
}

Lists without_weights(Lists lists) {
    const auto wanted = [](const Action& a) { return a.kind != Kind::W; };
    return renamed(only(std::move(lists), wanted), Kind::BW, Kind::B);
}

Lists redrawn(Lists lists) { return renamed(std::move(lists), Kind::F, Kind::redraw); }

Lists update_of(NetId net, int coordinates) {
    const std::vector<Action> update{{.net = net, .kind = Kind::reduce},
                                     {.net = net, .kind = Kind::step}};
    return Lists(static_cast<std::size_t>(coordinates), update);
}

Lists recomputed(const Lists& lists) {
    Lists all;
    for (const auto& actions : lists) {
        auto& out = all.emplace_back();
        for (const Action& a : actions) {
            const bool at_once =
                !out.empty() && is_forward(out.back().kind) && visit_of(out.back()) == visit_of(a);
            if (includes_B(a.kind) && !at_once) out.push_back(with(a, Kind::recompute));
            out.push_back(a);
        }
    }
    return all;
}

}  // namespace civitas::schedule
