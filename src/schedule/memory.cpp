/// The executor's way through a list, with counted bytes in place of tensors: what several
/// holders share lives once, as long as any of them.
#include "gathered_stages.hpp"

#include "civitas/schedule/actions.hpp"
#include "civitas/schedule/simulator.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

namespace civitas::schedule {
namespace {

/// Bytes that live until the last copy goes.
using Memory = std::shared_ptr<void>;

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
          placement_(placement_of(schedule, coordinate)),
          here_(coordinate),
          stages_(costs.stages()),
          redrawn_(visits_with(Kind::redraw, schedule[coordinate])),
          recomputed_(visits_with(Kind::recompute, schedule[coordinate])),
          kept_(graph_.nets.size()) {
        peak_.kept.resize(kept_.size());
    }

    void perform(const Action& a) {
        if (is_forward(a.kind)) return forward(a);
        if (includes_B(a.kind)) return backward(a);
        if (a.kind == Kind::W) return forget(a);
        if (a.kind != Kind::recompute) return;
        (void)run(a, inputs_.extract(visit_of(a)).mapped());
        sample_peak();
    }

    [[nodiscard]] const MemoryPeak& peak() const { return peak_; }

private:
    void forward(const Action& a) {
        const Action visit = visit_of(a);
        const bool dropped = redrawn_.contains(visit) && a.kind == Kind::F;
        const bool kept_as_input = recomputed_.contains(visit) && !dropped;
        Memory x = input_of(a);
        if (kept_as_input) inputs_[visit] = x;
        put_for_consumer(a, run(a, std::move(x)));
        if (a.stage == stages_.last_of(a.net) && graph_.ends_in_loss(a.pass))
            loss_gradients_[visit] = allocate(stage(a).output_bytes);
        sample_peak();
        if (dropped || kept_as_input) forget(a);
    }

    /// Keeps what F saves; the output.
    Memory run(const Action& a, Memory x) {
        const StageCosts& s = stage(a);
        Memory y = allocate(s.output_bytes);
        kept_visits(a.net)[visit_of(a)] = {
            allocate(s.saved_bytes - (s.saves_input ? s.input_bytes : 0) -
                     (s.saves_output ? s.output_bytes : 0)),
            s.saves_input ? std::move(x) : nullptr, s.saves_output ? y : nullptr};
        return y;
    }

    void backward(const Action& a) {
        const StageCosts& s = stage(a);
        if (const auto producer = producer_of_input(graph_, a, stages_))
            results_.erase(*producer);
        else
            loss_gradients_.erase(visit_of(a));
        if (!graph_[a.pass].weights || a.kind == Kind::BW) {
            forget(a);
        } else {
            KeptVisit& kept = kept_visits(a.net).at(visit_of(a));
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

    /// Elsewhere results go by message.
    void put_for_consumer(const Action& a, const Memory& result) {
        const auto consumer = consumer_of_output(graph_, a, stages_);
        if (consumer && placement_.find(consumer->net, consumer->stage) == here_)
            results_[output_of(a)] = result;
    }

    void sample_peak() {
        peak_.bytes = std::max(peak_.bytes, live_);
        for (std::size_t net = 0; net < kept_.size(); ++net)
            peak_.kept[net] = std::max<std::int64_t>(peak_.kept[net], std::ssize(kept_[net]));
    }

    void forget(const Action& a) { kept_visits(a.net).erase(visit_of(a)); }
    [[nodiscard]] std::map<Action, KeptVisit>& kept_visits(NetId net) {
        return kept_.at(static_cast<std::size_t>(net));
    }
    [[nodiscard]] Memory allocate(std::int64_t bytes) {
        live_ += bytes;
        return {nullptr, [this, bytes](std::nullptr_t) { live_ -= bytes; }};
    }
    [[nodiscard]] const StageCosts& stage(const Action& a) const {
        return costs_.of(a.net, a.stage);
    }

    const StepGraph& graph_;
    const Costs& costs_;
    StagePlacement placement_;
    PipeCoordinate here_{};
    StageCounts stages_;
    std::set<Action> redrawn_, recomputed_;
    std::int64_t live_ = 0;
    MemoryPeak peak_;
    // After live_, which they change as they go.
    std::vector<std::map<Action, KeptVisit>> kept_;  ///< by net
    std::map<Action, Memory> inputs_, loss_gradients_, results_;
    std::map<std::pair<PassId, LocalMicroBatch>, Memory> outputs_;  ///< for several passes
};

}  // namespace

MemoryPeak memory_peak(const Schedule& schedule, PipeCoordinate coordinate, const Costs& costs) {
    MemorySimulation simulation(schedule, coordinate, costs);
    for (const Action& a : schedule[coordinate]) simulation.perform(a);
    MemoryPeak peak = simulation.peak();
    peak.gathered_bytes = gathered_peak(schedule, coordinate, costs);
    return peak;
}

}  // namespace civitas::schedule
