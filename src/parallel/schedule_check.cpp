#include "civitas/base/error.hpp"
#include "civitas/parallel/schedule.hpp"

#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace civitas::parallel {
namespace {

bool of_whole_net(Kind kind) { return kind == Kind::reduce || kind == Kind::step; }
bool is_generator(const Action& a) { return a.net == Net::generator; }

Action with(Action action, Kind kind) {
    action.kind = kind;
    return action;
}
/// What an action counts as.
std::vector<Kind> parts_of(Kind kind) {
    return kind == Kind::BW ? std::vector{Kind::B, Kind::W} : std::vector{kind};
}
Action at_stage(Action action, int stage) {
    action.stage = stage;
    return action;
}

/// Every visit of the shape: F of each net, stage, pass and micro-batch.
std::vector<Action> visits_of(ScheduleShape shape) {
    using Visit = std::pair<Net, Pass>;
    std::vector<Action> visits;
    for (const auto& [net, pass] :
         {Visit{Net::discriminator, Pass::real}, Visit{Net::generator, Pass::generate},
          Visit{Net::discriminator, Pass::fake}, Visit{Net::discriminator, Pass::generate}})
        for (int stage = 0; stage < shape.stages(); ++stage)
            for (std::int64_t m = 0; m < shape.micro_batches; ++m)
                visits.push_back({net, stage, pass, Kind::F, MicroBatch{m}});
    return visits;
}

bool has_weights(const Action& visit) {
    return is_generator(visit) || visit.pass != Pass::generate;
}

/// The machine on paper: what has been done, and what stands in the way of an action.
class Paper {
public:
    Paper(const Schedule& schedule, ScheduleShape shape) : shape_(shape) {
        for (std::size_t c = 0; c < schedule.coordinates.size(); ++c)
            for (const Action& a : schedule.coordinates[c]) note(a, c);
    }

    /// Why the action cannot run now on this coordinate; nothing when it can.
    [[nodiscard]] std::optional<std::string> obstacle(const Action& action,
                                                      std::size_t coordinate) const {
        if (auto reason = misfit(action)) return reason;
        if (of_whole_net(action.kind)) return obstacle_of_net(action, coordinate);
        for (const Kind kind : parts_of(action.kind))
            if (done_.contains(with(action, kind))) return "has been done before";
        if (homes_.at({action.net, action.stage}) != coordinate)
            return text("its stage has other actions on coordinate ",
                        homes_.at({action.net, action.stage}));
        if (action.pass == Pass::generate && !is_generator(action) &&
            !finished_.contains({coordinate, Net::discriminator, Kind::step}))
            return "D.step must come first";
        if (is_generator(action) && parts_of(action.kind).front() == Kind::B &&
            drawn_ < all_drawn())
            return "every F of G must come first";
        for (const Action& needed : needs(action))
            if (!done_.contains(needed)) return to_string(needed) + " must come first";
        return std::nullopt;
    }

    void perform(const Action& action, std::size_t coordinate) {
        if (of_whole_net(action.kind)) {
            finished_.insert({coordinate, action.net, action.kind});
            return;
        }
        for (const Kind kind : parts_of(action.kind)) done_.insert(with(action, kind));
        if (is_generator(action) && action.kind == Kind::F) ++drawn_;
    }

    /// An action of the shape that nobody did.
    [[nodiscard]] std::optional<std::string> missing() const {
        for (const Action& f : visits_of(shape_))
            for (const Kind kind : {Kind::F, Kind::B, Kind::W})
                if ((kind != Kind::W || has_weights(f)) && !done_.contains(with(f, kind)))
                    return to_string(with(f, kind));
        for (const auto& [stage, coordinate] : homes_)
            for (const Kind kind : {Kind::reduce, Kind::step})
                if (!finished_.contains({coordinate, stage.first, kind}))
                    return to_string(Action{.net = stage.first, .kind = kind});
        return std::nullopt;
    }

private:
    void note(const Action& a, std::size_t coordinate) {
        if (!of_whole_net(a.kind)) homes_.try_emplace({a.net, a.stage}, coordinate);
        if (a.kind == Kind::redraw) redrawn_.insert(a);
    }

    [[nodiscard]] std::int64_t all_drawn() const { return shape_.stages() * shape_.micro_batches; }

    [[nodiscard]] std::optional<std::string> misfit(const Action& a) const {
        if (a.stage < 0 || a.stage >= shape_.stages())
            return text("the nets have ", shape_.stages(), " stages");
        if (index(a.micro) < 0 || index(a.micro) >= shape_.micro_batches)
            return text("a rank has ", shape_.micro_batches, " micro-batches");
        if (of_whole_net(a.kind)) return std::nullopt;
        if (is_generator(a) && a.pass != Pass::generate) return "G only has the pass generate";
        if (parts_of(a.kind).back() == Kind::W && !has_weights(a))
            return "D has no W in G's update";
        if (a.kind == Kind::redraw && !is_generator(a)) return "only G is redrawn";
        return std::nullopt;
    }

    [[nodiscard]] std::optional<std::string> obstacle_of_net(const Action& action,
                                                             std::size_t coordinate) const {
        if (finished_.contains({coordinate, action.net, action.kind}))
            return "has been done before";
        if (action.kind == Kind::step) {
            if (finished_.contains({coordinate, action.net, Kind::reduce})) return std::nullopt;
            return to_string(with(action, Kind::reduce)) + " must come first";
        }
        const Pass last_pass = is_generator(action) ? Pass::generate : Pass::fake;
        for (const auto& [stage, home] : homes_) {
            const Action last{action.net, stage.second, last_pass, Kind::W,
                              MicroBatch{shape_.micro_batches - 1}};
            if (stage.first == action.net && home == coordinate && !done_.contains(last))
                return to_string(last) + " must come first";
        }
        return std::nullopt;
    }

    /// Actions whose results this one uses, or that keep the order of sums.
    [[nodiscard]] std::vector<Action> needs(const Action& a) const {
        switch (a.kind) {
            case Kind::F: return inputs_of(a);
            case Kind::redraw: return needs_of_redraw(a);
            case Kind::B: return needs_of_backward(a);
            case Kind::W: return needs_of_weights(a);
            case Kind::BW: {
                auto all = needs_of_backward(with(a, Kind::B));
                const auto weights = needs_of_weights(with(a, Kind::W));
                all.insert(all.end(), weights.begin() + 1, weights.end());
                return all;
            }
            default: return {};
        }
    }

    [[nodiscard]] std::vector<Action> inputs_of(const Action& a) const {
        if (a.stage > 0) return {at_stage(a, a.stage - 1)};
        if (is_generator(a) || a.pass == Pass::real) return {};
        return {{Net::generator, shape_.stages() - 1, Pass::generate, Kind::F, a.micro}};
    }

    [[nodiscard]] std::vector<Action> needs_of_redraw(const Action& a) const {
        std::vector<Action> all{with(a, Kind::F)};
        if (a.stage > 0) all.push_back(at_stage(a, a.stage - 1));
        return all;
    }

    [[nodiscard]] std::vector<Action> needs_of_backward(const Action& a) const {
        std::vector<Action> all{with(a, Kind::F)};
        if (redrawn_.contains(with(a, Kind::redraw))) all.push_back(with(a, Kind::redraw));
        if (a.stage + 1 < shape_.stages()) {
            all.push_back(at_stage(a, a.stage + 1));
        } else if (is_generator(a)) {
            all.push_back({Net::discriminator, 0, Pass::generate, Kind::B, a.micro});
        }
        return all;
    }

    [[nodiscard]] std::vector<Action> needs_of_weights(const Action& a) const {
        std::vector<Action> all{with(a, Kind::B)};
        Action before = a;
        if (index(a.micro) > 0) {
            before.micro = MicroBatch{index(a.micro) - 1};
            all.push_back(before);
        } else if (a.pass == Pass::fake) {
            before.pass = Pass::real;
            before.micro = MicroBatch{shape_.micro_batches - 1};
            all.push_back(before);
        }
        return all;
    }

    using Finished = std::tuple<std::size_t, Net, Kind>;  ///< reduce or step, on a coordinate

    ScheduleShape shape_;
    std::map<std::pair<Net, int>, std::size_t> homes_;
    std::set<Action> redrawn_, done_;
    std::set<Finished> finished_;
    std::int64_t drawn_ = 0;
};

}  // namespace

void check_schedule(const Schedule& schedule, ScheduleShape shape) {
    Paper paper(schedule, shape);
    std::vector<std::size_t> at(schedule.coordinates.size());
    const auto advance = [&](std::size_t c) {
        const auto& actions = schedule.coordinates[c];
        const std::size_t from = at[c];
        for (; at[c] < actions.size() && !paper.obstacle(actions[at[c]], c); ++at[c])
            paper.perform(actions[at[c]], c);
        return at[c] != from;
    };
    for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t c = 0; c < at.size(); ++c) moved = advance(c) || moved;
    }
    for (std::size_t c = 0; c < at.size(); ++c) {
        if (at[c] == schedule.coordinates[c].size()) continue;
        const Action& stuck = schedule.coordinates[c][at[c]];
        throw UsageError(text("schedule ", schedule.name, ", coordinate ", c, ", action ", at[c],
                              ": ", to_string(stuck), " cannot run: ", *paper.obstacle(stuck, c)));
    }
    if (const auto missing = paper.missing())
        throw UsageError(text("schedule ", schedule.name, ": ", *missing, " is missing"));
}

}  // namespace civitas::parallel
