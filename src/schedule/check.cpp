#include "dry_run.hpp"

#include "civitas/base/error.hpp"
#include "civitas/schedule/actions.hpp"

#include <set>

namespace civitas::schedule {
namespace {

std::string name_of(NetId net) { return net == NetId::generator ? "G" : "D"; }

/// Where an action stands in a table.
struct Place {
    std::size_t coordinate = 0;
    std::size_t at = 0;
};

[[noreturn]] void refuse(const Schedule& schedule, const Place& place, const std::string& reason) {
    const Action& action = schedule.coordinates[place.coordinate][place.at];
    throw UsageError(text("schedule ", schedule.name, ", coordinate ", place.coordinate,
                          ", action ", place.at, ": ", to_string(action), " cannot run: ", reason));
}

/// What can be said of each action without running the table.
class Census {
public:
    Census(const Schedule& schedule, const ScheduleShape& shape)
        : shape_(shape), placement_(placement_of(schedule)) {
        for (std::size_t c = 0; c < schedule.coordinates.size(); ++c)
            for (std::size_t i = 0; i < schedule.coordinates[c].size(); ++i)
                if (const auto reason = misfit(schedule.coordinates[c][i], static_cast<int>(c)))
                    refuse(schedule, {c, i}, *reason);
    }

    [[nodiscard]] bool has(const Fact& fact) const { return facts_.contains(fact); }

    /// Something of the shape that the table does not do.
    [[nodiscard]] std::optional<Action> missing() const {
        for (const auto& [net, pass] :
             {Visit{NetId::discriminator, Pass::real}, Visit{NetId::generator, Pass::generate},
              Visit{NetId::discriminator, Pass::fake}, Visit{NetId::discriminator, Pass::generate}})
            for (int stage = 0; stage < shape_.stages(); ++stage)
                for (std::int64_t m = 0; m < shape_.micro_batches; ++m)
                    if (auto action = missing_of({net, stage, pass, Kind::F, LocalMicroBatch{m}}))
                        return action;
        for (const NetId net : {NetId::discriminator, NetId::generator})
            for (int c = 0; c < placement_.coordinates(); ++c)
                for (const Kind kind : {Kind::reduce, Kind::step})
                    if (const Action update{.net = net, .kind = kind};
                        !placement_.stages_of(net, c).empty() && !has({update, c}))
                        return update;
        return std::nullopt;
    }

private:
    struct Visit {
        NetId net;
        Pass pass;
    };

    std::optional<std::string> misfit(const Action& a, int coordinate) {
        if (auto reason = of_whole_net(a.kind) ? misfit_of_update(a, coordinate)
                                               : misfit_of_visit(a, coordinate))
            return reason;
        for (const Fact& fact : facts_of(a, coordinate))
            if (!facts_.add(fact)) return "has been done before";
        if (a.kind == Kind::redraw) redrawn_.insert(a.micro);
        return std::nullopt;
    }

    [[nodiscard]] std::optional<std::string> misfit_of_update(const Action& a,
                                                              int coordinate) const {
        if (!placement_.stages_of(a.net, coordinate).empty()) return std::nullopt;
        return text("no stage of ", name_of(a.net), " lives here");
    }

    [[nodiscard]] std::optional<std::string> misfit_of_visit(const Action& a,
                                                             int coordinate) const {
        if (a.stage < 0 || a.stage >= shape_.stages())
            return text("the nets have ", shape_.stages(), " stages");
        if (index(a.micro) < 0 || index(a.micro) >= shape_.micro_batches)
            return text("a rank has ", shape_.micro_batches, " micro-batches");
        if (is_generator(a) && a.pass != Pass::generate) return "G only has the pass generate";
        if (includes_W(a.kind) && passes_through(a)) return "D has no W in G's update";
        if (a.kind == Kind::redraw && !is_generator(a)) return "only G is redrawn";
        const int home = placement_.coordinate_of(a.net, a.stage);
        if (home != coordinate) return text("its stage has other actions on coordinate ", home);
        return std::nullopt;
    }

    /// Of one visit, given by its F.
    [[nodiscard]] std::optional<Action> missing_of(const Action& f) const {
        const auto home = placement_.find(f.net, f.stage);
        for (const Kind kind : {Kind::F, Kind::B, Kind::W, Kind::redraw}) {
            if (kind == Kind::W && passes_through(f)) continue;
            if (kind == Kind::redraw && !(is_generator(f) && redrawn_.contains(f.micro))) continue;
            if (!home || !has({with(f, kind), *home})) return with(f, kind);
        }
        return std::nullopt;
    }

    const ScheduleShape& shape_;
    StagePlacement placement_;
    Facts facts_;
    std::set<LocalMicroBatch> redrawn_;
};

/// Of coordinates that wait for each other, the one to blame: what it waits for never comes, or
/// stands later in its own list. In a circle of waiting any is as good.
Place cause(const Schedule& schedule, const std::vector<std::size_t>& at, const Paper& paper,
            const Census& census, std::size_t stuck) {
    std::set<std::size_t> seen;
    for (std::size_t c = stuck;;) {
        const auto needed = paper.obstacle(schedule.coordinates[c][at[c]], static_cast<int>(c));
        seen.insert(c);
        if (!census.has(*needed)) return {c, at[c]};
        const auto next = static_cast<std::size_t>(needed->coordinate);
        if (seen.contains(next)) return {c, at[c]};
        c = next;
    }
}

}  // namespace

void check_schedule(const Schedule& schedule, const ScheduleShape& shape) {
    const Census census(schedule, shape);
    const Costs costs = unit_costs(shape);
    Paper paper(schedule, shape.micro_batches, costs);
    const auto at = run(schedule, paper);
    for (std::size_t c = 0; c < at.size(); ++c) {
        if (at[c] == schedule.coordinates[c].size()) continue;
        const Place place = cause(schedule, at, paper, census, c);
        const auto needed = paper.obstacle(schedule.coordinates[place.coordinate][place.at],
                                           static_cast<int>(place.coordinate));
        refuse(schedule, place, to_string(needed->action) + " must come first");
    }
    if (const auto missing = census.missing())
        throw UsageError(
            text("schedule ", schedule.name, ": ", to_string(*missing), " is missing"));
}

}  // namespace civitas::schedule
