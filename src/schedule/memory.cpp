/// The executor's walk through a list, with allocations on paper in place of tensors: what several
/// holders share lives once, as long as any of them.
#include "civitas/schedule/actions.hpp"

#include "civitas/schedule/simulator.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

namespace civitas::schedule {
namespace {

class Allocation {
public:
    Allocation(std::int64_t& live, std::int64_t bytes) : live_(live), bytes_(bytes) {
        live_ += bytes_;
    }
    Allocation(const Allocation&) = delete;
    Allocation& operator=(const Allocation&) = delete;
    Allocation(Allocation&&) = delete;
    Allocation& operator=(Allocation&&) = delete;
    ~Allocation() { live_ -= bytes_; }

private:
    std::int64_t& live_;
    std::int64_t bytes_;
};
using Memory = std::shared_ptr<const Allocation>;

/// What is kept of a visit; input and output where the stage keeps those themselves.
struct KeptVisit {
    Memory own, input, output;
};

/// What one coordinate keeps while its list runs.
class Walk {
public:
    Walk(const Schedule& schedule, int coordinate, const Costs& costs)
        : costs_(costs),
          placement_(placement_of(schedule)),
          here_(coordinate),
          stages_(static_cast<int>(costs.generator.size())),
          actions_(schedule.coordinates.at(static_cast<std::size_t>(coordinate))) {
        for (const Action& a : actions_) {
            if (a.kind == Kind::redraw) redrawn_.insert(visit_of(a));
            if (a.kind == Kind::recompute) recomputed_.insert(visit_of(a));
        }
    }

    [[nodiscard]] MemoryPeak peak() {
        for (const Action& a : actions_) perform(a);
        return peak_;
    }

private:
    void perform(const Action& a) {
        switch (a.kind) {
            case Kind::F:
            case Kind::redraw: return forward(a);
            case Kind::recompute:
                (void)run(a, inputs_.extract(visit_of(a)).mapped());
                return weigh();
            case Kind::B:
            case Kind::BW: return backward(a);
            case Kind::W: forget(visit_of(a)); return;
            case Kind::reduce:
            case Kind::step: return;
        }
    }

    void forward(const Action& a) {
        const Action visit = visit_of(a);
        const bool dropped = redrawn_.contains(visit) && a.kind == Kind::F;
        const bool kept_as_input = recomputed_.contains(visit) && !dropped;
        Memory x = input_of(a);
        if (kept_as_input) inputs_[visit] = x;
        deliver(a, run(a, std::move(x)));
        weigh();
        if (dropped || kept_as_input) forget(visit);
    }

    /// Keeps what F saves; the output.
    Memory run(const Action& a, Memory x) {
        const StageCosts& s = stage(a);
        Memory y = take(s.output_bytes);
        keep(visit_of(a)) = {take(s.saved_bytes - (s.saves_input ? s.input_bytes : 0) -
                                  (s.saves_output ? s.output_bytes : 0)),
                             s.saves_input ? std::move(x) : nullptr, s.saves_output ? y : nullptr};
        return y;
    }

    void backward(const Action& a) {
        const StageCosts& s = stage(a);
        if (const auto maker = maker_of_input(a, stages_)) {
            delivered_.erase(*maker);
        } else {
            judged_.erase(visit_of(a));
        }
        if (passes_through(a) || a.kind == Kind::BW) {
            forget(visit_of(a));
        } else {
            KeptVisit& kept = kept_.at(visit_of(a));
            kept.own = take(s.held_bytes - (s.holds_input ? s.input_bytes : 0));
            if (!s.holds_input) kept.input.reset();
            kept.output.reset();
        }
        deliver_gradient(a);
        weigh();
    }

    /// D sees a copy of every tile, and of every fake that is shifted or noisy.
    Memory input_of(const Action& a) {
        if (a.stage > 0 || is_generator(a)) return fetch(a);
        if (a.pass == Pass::real) return take(stage(a).input_bytes);
        Memory& fake = fakes_[a.micro];
        if (a.pass == Pass::fake) fake = fetch(a);
        Memory seen = costs_.fakes_copied ? take(stage(a).input_bytes) : fake;
        if (a.pass == Pass::generate) fakes_.erase(a.micro);
        return seen;
    }

    /// What was made here, or room for a message.
    Memory fetch(const Action& a) {
        if (const auto maker = maker_of_input(a, stages_))
            if (auto made = delivered_.extract(*maker)) return made.mapped();
        return take(stage(a).input_bytes);
    }

    void deliver(const Action& a, const Memory& y) {
        if (a.stage + 1 < stages_) {
            deliver_to(at_stage(a, a.stage + 1), a, y);
        } else if (!is_generator(a)) {
            judged_[visit_of(a)] = take(stage(a).output_bytes);
        } else if (a.kind == Kind::F) {
            deliver_to({NetId::discriminator, 0, Pass::fake, Kind::F, a.micro}, a, y);
        }
    }

    void deliver_gradient(const Action& a) {
        if (a.stage == 0 && !passes_through(a)) return;
        const Action user = a.stage > 0 ? at_stage(a, a.stage - 1)
                                        : Action{.net = NetId::generator, .stage = stages_ - 1};
        deliver_to(user, made_by(a), take(stage(a).input_bytes));
    }

    void deliver_to(const Action& user, const Action& made, const Memory& result) {
        if (placement_.find(user.net, user.stage) == here_) delivered_[made] = result;
    }

    void weigh() {
        peak_.bytes = std::max(peak_.bytes, live_);
        peak_.kept.generator = std::max(peak_.kept.generator, visits_.generator);
        peak_.kept.discriminator = std::max(peak_.kept.discriminator, visits_.discriminator);
    }

    KeptVisit& keep(const Action& visit) {
        const auto [place, made] = kept_.try_emplace(visit);
        if (made) ++visits_of(visit);
        return place->second;
    }
    void forget(const Action& visit) {
        if (kept_.erase(visit) > 0) --visits_of(visit);
    }
    [[nodiscard]] std::int64_t& visits_of(const Action& visit) {
        return is_generator(visit) ? visits_.generator : visits_.discriminator;
    }

    [[nodiscard]] Memory take(std::int64_t bytes) {
        return std::make_shared<const Allocation>(live_, bytes);
    }
    [[nodiscard]] const StageCosts& stage(const Action& a) const {
        return costs_.of(a.net, a.stage);
    }

    const Costs& costs_;
    StagePlacement placement_;
    int here_ = 0;
    int stages_ = 0;
    const std::vector<Action>& actions_;
    std::set<Action> redrawn_, recomputed_;
    std::int64_t live_ = 0;
    MemoryPeak peak_;
    KeptPeak visits_;  ///< of either net, that are kept now
    // After live_, which they change as they go.
    std::map<Action, KeptVisit> kept_;
    std::map<Action, Memory> inputs_, judged_, delivered_;
    std::map<LocalMicroBatch, Memory> fakes_;
};

}  // namespace

MemoryPeak memory_peak(const Schedule& schedule, int coordinate, const Costs& costs) {
    return Walk(schedule, coordinate, costs).peak();
}

}  // namespace civitas::schedule
