/// The executor's way through a list, with counted bytes in place of tensors: what several
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
class MemorySimulation {
public:
    MemorySimulation(const Schedule& schedule, PipeCoordinate coordinate, const Costs& costs)
        : graph_(schedule.graph),
          costs_(costs),
          placement_(placement_of(schedule)),
          here_(coordinate),
          stages_(costs.stages()),
          actions_(schedule[coordinate]),
          visits_(graph_.nets.size()) {
        peak_.kept.resize(graph_.nets.size());
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
                return sample_peak();
            case Kind::B:
            case Kind::BW: return backward(a);
            case Kind::W: forget(visit_of(a)); return;
            case Kind::gather: return change_gathered(stage(a).gathered_bytes);
            case Kind::release: return change_gathered(-stage(a).gathered_bytes);
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
        put_output(a, run(a, std::move(x)));
        sample_peak();
        if (dropped || kept_as_input) forget(visit);
    }

    /// Keeps what F saves; the output.
    Memory run(const Action& a, Memory x) {
        const StageCosts& s = stage(a);
        Memory y = allocate(s.output_bytes);
        keep(visit_of(a)) = {allocate(s.saved_bytes - (s.saves_input ? s.input_bytes : 0) -
                                      (s.saves_output ? s.output_bytes : 0)),
                             s.saves_input ? std::move(x) : nullptr, s.saves_output ? y : nullptr};
        return y;
    }

    void backward(const Action& a) {
        const StageCosts& s = stage(a);
        if (const auto producer = producer_of_input(graph_, a, stages_)) {
            results_.erase(*producer);
        } else {
            loss_gradients_.erase(visit_of(a));
        }
        if (!graph_[a.pass].weights || a.kind == Kind::BW) {
            forget(visit_of(a));
        } else {
            KeptVisit& kept = kept_.at(visit_of(a));
            kept.own = allocate(s.bytes_from_B_to_W - (s.holds_input ? s.input_bytes : 0));
            if (!s.holds_input) kept.input.reset();
            kept.output.reset();
        }
        put_for_consumer(a, allocate(s.input_bytes));
        sample_peak();
    }

    /// What the task makes of its data, or of another pass' output, which the first stage keeps for
    /// all that take it.
    Memory input_of(const Action& a) {
        const auto source = graph_[a.pass].input_from;
        if (a.stage > first_stage || !source) return get_result(a);
        Memory& output = outputs_[{*source, a.micro}];
        if (a.pass == graph_.first_consumer(*source)) output = get_result(a);
        Memory input = costs_.outputs_copied ? allocate(stage(a).input_bytes) : output;
        if (a.pass == graph_.last_consumer(*source)) outputs_.erase({*source, a.micro});
        return input;
    }

    /// What was made here, or a buffer for a message.
    Memory get_result(const Action& a) {
        if (const auto producer = producer_of_input(graph_, a, stages_))
            if (auto made = results_.extract(*producer)) return made.mapped();
        return allocate(stage(a).input_bytes);
    }

    void put_output(const Action& a, const Memory& y) {
        if (a.stage == stages_.last_of(a.net) && graph_.ends_in_loss(a.pass))
            loss_gradients_[visit_of(a)] = allocate(stage(a).output_bytes);
        else
            put_for_consumer(a, y);
    }

    /// Elsewhere results go by message.
    void put_for_consumer(const Action& a, const Memory& result) {
        const auto consumer = consumer_of_output(graph_, a, stages_);
        if (consumer && placement_.find(consumer->net, consumer->stage) == here_)
            results_[output_of(a)] = result;
    }

    void change_gathered(std::int64_t by) {
        gathered_ += by;
        peak_.gathered_bytes = std::max(peak_.gathered_bytes, gathered_);
    }

    void sample_peak() {
        peak_.bytes = std::max(peak_.bytes, live_);
        for (std::size_t net = 0; net < visits_.size(); ++net)
            peak_.kept[net] = std::max(peak_.kept[net], visits_[net]);
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
        return visits_.at(static_cast<std::size_t>(visit.net));
    }

    [[nodiscard]] Memory allocate(std::int64_t bytes) {
        return std::make_shared<const Allocation>(live_, bytes);
    }
    [[nodiscard]] const StageCosts& stage(const Action& a) const {
        return costs_.of(a.net, a.stage);
    }

    const StepGraph& graph_;
    const Costs& costs_;
    StagePlacement placement_;
    PipeCoordinate here_{};
    StageCounts stages_;
    const std::vector<Action>& actions_;
    std::set<Action> redrawn_, recomputed_;
    std::int64_t live_ = 0, gathered_ = 0;
    MemoryPeak peak_;
    KeptPeak visits_;  ///< that are kept now
    // After live_, which they change as they go.
    std::map<Action, KeptVisit> kept_;
    std::map<Action, Memory> inputs_, loss_gradients_, results_;
    std::map<std::pair<PassId, LocalMicroBatch>, Memory> outputs_;  ///< for several passes
};

}  // namespace

MemoryPeak memory_peak(const Schedule& schedule, PipeCoordinate coordinate, const Costs& costs) {
    return MemorySimulation(schedule, coordinate, costs).peak();
}

}  // namespace civitas::schedule
