#include "civitas/report/trace.hpp"

#include <nlohmann/json.hpp>

namespace civitas::report {
namespace {

using nlohmann::ordered_json;

double microseconds(double seconds) { return seconds * 1e6; }

ordered_json name_of(int rank, const std::string& name) {
    return {{"ph", "M"},
            {"pid", rank},
            {"tid", 0},
            {"name", "process_name"},
            {"args", {{"name", name}}}};
}

ordered_json event_of(const TraceSpan& span) {
    return {{"ph", "X"},
            {"pid", span.rank},
            {"tid", 0},
            {"name", span.name},
            {"cat", span.category},
            {"ts", microseconds(span.begin_s)},
            {"dur", microseconds(span.end_s - span.begin_s)}};
}

ordered_json end_of(const TraceMessage& message, std::size_t id, bool arrival) {
    ordered_json event{{"ph", arrival ? "f" : "s"},
                       {"pid", arrival ? message.to : message.from},
                       {"tid", 0},
                       {"name", message.name},
                       {"cat", "message"},
                       {"id", id},
                       {"ts", microseconds(arrival ? message.arrived_s : message.left_s)}};
    if (arrival) event["bp"] = "e";
    return event;
}

}  // namespace

std::string to_chrome_json(const Trace& trace) {
    ordered_json events = ordered_json::array();
    for (std::size_t rank = 0; rank < trace.ranks.size(); ++rank)
        events.push_back(name_of(static_cast<int>(rank), trace.ranks[rank]));
    for (const TraceSpan& span : trace.spans) events.push_back(event_of(span));
    for (std::size_t id = 0; id < trace.messages.size(); ++id)
        for (const bool arrival : {false, true})
            events.push_back(end_of(trace.messages[id], id, arrival));
    return ordered_json{{"traceEvents", events}, {"displayTimeUnit", "ms"}}.dump();
}

}  // namespace civitas::report
