/// Each coordinate goes down its list, one action at a time; the coordinates take turns, each as
/// far as what it needs has an end:
///   begin = max(end of the coordinate's action before, arrival of everything the action needs,
///               end of the gather of the weights it reads or releases)
///   begin of a gather = max(end of the coordinate's action before, end of its gather before)
///   end = begin + seconds of the action (StageCosts; reduce and step: of all stages held here)
///   end of a reduce = max(begin, end of the net's last sum here) + seconds of the action
///   arrival = end of what made it + (0 on the same coordinate, else latency + bytes / bandwidth)
/// Times follow from these alone, so the order of the turns does not matter. Memory is not a matter
/// of times: memory_peak walks each list by itself.
#include "civitas/schedule/simulator.hpp"

#include "clocks.hpp"
#include "dependencies.hpp"

#include "civitas/base/error.hpp"
#include "civitas/schedule/actions.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace civitas::schedule {
namespace {

std::int64_t micro_batches_of(const Schedule& schedule) {
    std::int64_t last = 0;
    for (const auto& actions : schedule.coordinates)
        for (const Action& a : actions) last = std::max(last, index(a.micro));
    return last + 1;
}

}  // namespace

ExchangeTraffic& ExchangeTraffic::operator+=(const ExchangeTraffic& other) {
    rounds += other.rounds;
    bytes += other.bytes;
    return *this;
}

ExchangeTraffic& ExchangeTraffic::operator-=(const ExchangeTraffic& other) {
    rounds -= other.rounds;
    bytes -= other.bytes;
    return *this;
}

Costs unit_costs(const StageCounts& stages, double seconds) {
    const StageCosts stage{.forward_s = seconds,
                           .backward_input_s = seconds,
                           .backward_weights_s = seconds,
                           .saved_bytes = 1};
    Costs costs;
    for (const int count : stages.nets)
        costs.nets.emplace_back(static_cast<std::size_t>(count), stage);
    return costs;
}

Costs unit_costs(const StepGraph& graph, const ScheduleShape& shape) {
    return unit_costs(StageCounts{std::vector(graph.nets.size(), shape.stages())},
                      1.0 / shape.chunks);
}

double Simulation::idle_s() const {
    double sum = 0;
    for (const Coordinate& c : coordinates) sum += c.idle_s;
    return sum;
}

double Simulation::bubble() const {
    return makespan_s > 0 ? idle_s() / (makespan_s * static_cast<double>(coordinates.size())) : 0;
}

Simulator::Simulator(Schedule schedule, const StageCounts& stages)
    : schedule_(std::move(schedule)),
      placement_(placement_of(schedule_)),
      micro_batches_(micro_batches_of(schedule_)) {
    const Dependencies dependencies(schedule_, stages, micro_batches_);
    Completions done(schedule_.graph);
    // False when something that it needs is not done.
    const auto perform = [&](const Action& action, PipeCoordinate c) {
        const std::size_t begin = needs_.size();
        for (const Completion& needed : dependencies.of(action, c)) {
            const auto event = done.find(needed);
            if (!event) {
                needs_.resize(begin);
                return false;
            }
            needs_.push_back({static_cast<std::size_t>(*event), needed.coordinate != c});
        }
        for (const Completion& completion : completions_of(action, c))
            done.add(completion, std::ssize(events_));
        events_.push_back({c, action, needs_.size()});
        return true;
    };
    const auto done_of = run(schedule_, perform);
    for (std::size_t c = 0; c < done_of.size(); ++c)
        ensure(done_of[c] == schedule_.coordinates[c].size(), "a checked schedule does not block");
}

std::vector<Span> Simulator::spans(const Costs& costs) const {
    Clocks clocks(schedule_, placement_, micro_batches_, costs);
    std::vector<Span> spans;
    spans.reserve(events_.size());
    std::size_t need = 0;
    for (const auto& [coordinate, action, needs_end] : events_) {
        double begin = clocks.free_for(action, coordinate);
        for (; need < needs_end; ++need) {
            const auto [event, by_message] = needs_[need];
            const double message_s =
                by_message ? clocks.message_seconds(output_of(events_[event].action)) : 0;
            begin = std::max(begin, spans[event].end_s + message_s);
        }
        spans.push_back({coordinate, action, begin, clocks.perform(action, coordinate, begin)});
    }
    return spans;
}

double Simulator::makespan(const Costs& costs) const {
    double end = 0;
    for (const Span& span : spans(costs)) end = std::max(end, span.end_s);
    return end;
}

Simulation Simulator::simulate(const Costs& costs) const {
    Simulation result;
    result.spans = spans(costs);
    std::stable_sort(result.spans.begin(), result.spans.end(), [](const Span& a, const Span& b) {
        return std::tie(a.begin_s, a.coordinate) < std::tie(b.begin_s, b.coordinate);
    });
    result.coordinates.resize(schedule_.coordinates.size());
    for (const Span& span : result.spans) {
        result.makespan_s = std::max(result.makespan_s, span.end_s);
        if (span.action.kind == Kind::gather) continue;
        result.coordinates[static_cast<std::size_t>(span.coordinate)].busy_s +=
            span.end_s - span.begin_s;
    }
    for (auto& coordinate : result.coordinates)
        coordinate.idle_s = result.makespan_s - coordinate.busy_s;
    return result;
}

Simulation simulate(const Schedule& schedule, const Costs& costs) {
    return Simulator(schedule, costs.stages()).simulate(costs);
}

double makespan(const Schedule& schedule, const Costs& costs) {
    return Simulator(schedule, costs.stages()).makespan(costs);
}

}  // namespace civitas::schedule
