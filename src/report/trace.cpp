#include "civitas/report/trace.hpp"

#include <nlohmann/json.hpp>

namespace civitas::report {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t buffer_bytes = 1 << 20;

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

ordered_json end_of(const TraceMessage& message, std::int64_t id, bool arrival) {
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

TraceFile::TraceFile(const std::filesystem::path& file, io::Replace replace)
    : file_(file, replace),
      part_(io::RawFile::open_to_write(file_.part())),
      text_(R"({"displayTimeUnit":"ms","traceEvents":[)") {}

void TraceFile::name(int rank, const std::string& name) { put(name_of(rank, name).dump()); }

void TraceFile::add(const TraceSpan& span) { put(event_of(span).dump()); }

void TraceFile::add(const TraceMessage& message) {
    for (const bool arrival : {false, true}) put(end_of(message, messages_, arrival).dump());
    ++messages_;
}

void TraceFile::put(const std::string& event) {
    text_ += first_ ? "\n" : ",\n";
    first_ = false;
    text_ += event;
    if (text_.size() >= buffer_bytes) flush();
}

void TraceFile::flush() {
    part_.write_at(written_, std::as_bytes(std::span<const char>(text_)));
    written_ += text_.size();
    text_.clear();
}

void TraceFile::commit() {
    text_ += "]}";
    flush();
    file_.commit();
}

}  // namespace civitas::report
