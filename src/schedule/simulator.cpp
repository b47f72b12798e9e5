/// Events are the ends of actions. Each coordinate goes down its list, one action at a time; the
/// coordinates take turns, each as far as what it needs has an end:
///   begin = max(end of the coordinate's action before, arrival of everything the action needs,
///               end of the gather of the weights it reads or releases)
///   begin of a gather = max(end of the coordinate's action before, end of its gather before)
///   end = begin + seconds of the action (StageCosts; reduce and step: of all stages held here)
///   end of a reduce = max(begin, end of the net's last sum here) + seconds of the action
///   arrival = end of what made it + (0 on the same coordinate, else latency + bytes / bandwidth)
/// Times follow from these alone, so the order of the turns does not matter. Memory is not a matter
/// of times: memory_peak walks each list by itself.
#include "civitas/schedule/simulator.hpp"

#include "dry_run.hpp"

#include "civitas/base/error.hpp"

#include <algorithm>

namespace civitas::schedule {
namespace {

std::int64_t micro_batches_of(const Schedule& schedule) {
    std::int64_t last = 0;
    for (const auto& actions : schedule.coordinates)
        for (const Action& a : actions) last = std::max(last, index(a.micro));
    return last + 1;
}

std::vector<Span> spans_of(const Schedule& schedule, const Costs& costs) {
    DryRun dry_run(schedule, micro_batches_of(schedule), costs);
    const auto done = run(schedule, dry_run);
    for (std::size_t c = 0; c < done.size(); ++c)
        ensure(done[c] == schedule.coordinates[c].size(), "a checked schedule does not block");
    return dry_run.spans();
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

double makespan(const Schedule& schedule, const Costs& costs) {
    double end = 0;
    for (const Span& span : spans_of(schedule, costs)) end = std::max(end, span.end_s);
    return end;
}

double Simulation::bubble() const {
    return makespan_s > 0 ? idle_s() / (makespan_s * static_cast<double>(coordinates.size())) : 0;
}

Simulation simulate(const Schedule& schedule, const Costs& costs) {
    Simulation result;
    result.spans = spans_of(schedule, costs);
    std::stable_sort(result.spans.begin(), result.spans.end(), [](const Span& a, const Span& b) {
        return std::tie(a.begin_s, a.coordinate) < std::tie(b.begin_s, b.coordinate);
    });
    result.coordinates.resize(schedule.coordinates.size());
    for (const Span& span : result.spans) {
        result.makespan_s = std::max(result.makespan_s, span.end_s);
        if (span.action.kind == Kind::gather) continue;
        result.coordinates[static_cast<std::size_t>(span.coordinate)].busy_s +=
            span.end_s - span.begin_s;
    }
    for (const PipeCoordinate c : each<PipeCoordinate>(std::ssize(result.coordinates))) {
        auto& coordinate = result.coordinates[static_cast<std::size_t>(c)];
        coordinate.idle_s = result.makespan_s - coordinate.busy_s;
        coordinate.peak = memory_peak(schedule, c, costs);
    }
    return result;
}

}  // namespace civitas::schedule
