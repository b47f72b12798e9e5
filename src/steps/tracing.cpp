#include "tracing.hpp"

#include <map>

namespace civitas::steps {
namespace {

using parallel::Performed;
using schedule::Action;

std::string_view to_string(Talk talk) {
    switch (talk) {
        case Talk::tensor_exchange: return "exchange along tensor";
        case Talk::data_exchange: return "exchange along data";
        case Talk::meeting: return "wait until all ranks have met";
    }
    return "";
}

}  // namespace

std::vector<report::TraceSpan> spans_of(const schedule::StepGraph& graph, int rank,
                                        std::span<const Performed> actions) {
    std::vector<report::TraceSpan> spans;
    for (const Performed& p : actions) {
        const double begun = p.begin_s + p.waited_s;
        if (p.waited_s > 0)
            spans.push_back({rank, "wait for input of " + to_string(graph, p.action), "wait",
                             p.begin_s, begun});
        spans.push_back({rank, to_string(graph, p.action), std::string(to_string(p.action.kind)),
                         begun, p.end_s});
    }
    return spans;
}

std::vector<report::TraceSpan> spans_of(int rank, std::span<const TalkSpan> talks) {
    std::vector<report::TraceSpan> spans;
    for (const TalkSpan& talk : talks)
        spans.push_back({rank, std::string(to_string(talk.talk)),
                         talk.talk == Talk::meeting ? "wait" : "exchange", talk.begin_s,
                         talk.end_s});
    return spans;
}

std::vector<report::TraceMessage> messages_of(const schedule::StepGraph& graph,
                                              std::span<const std::span<const Performed>> actions,
                                              std::span<const int> ranks,
                                              const schedule::StagePlacement& placement,
                                              const schedule::StageCounts& stages) {
    // Step by step the same table: the n-th time an action was made is the n-th time it was used.
    std::map<Action, std::vector<double>> made;
    for (const auto& of_coordinate : actions)
        for (const Performed& p : of_coordinate) made[output_of(p.action)].push_back(p.end_s);
    std::vector<report::TraceMessage> messages;
    std::map<Action, std::size_t> used;
    for (std::size_t here = 0; here < actions.size(); ++here) {
        for (const Performed& p : actions[here]) {
            const auto producer = producer_of_input(graph, p.action, stages);
            if (!producer) continue;
            const auto there =
                static_cast<std::size_t>(placement.coordinate_of(producer->net, producer->stage));
            const std::size_t turn = used[p.action]++;
            if (there == here || turn >= made[*producer].size()) continue;
            messages.push_back({to_string(graph, *producer), ranks[there], ranks[here],
                                made[*producer][turn], p.begin_s + p.waited_s});
        }
    }
    return messages;
}

}  // namespace civitas::steps
