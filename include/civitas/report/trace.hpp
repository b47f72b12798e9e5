#pragma once
/// Traces in the Chrome format, for Perfetto or chrome://tracing: who did what when, and which
/// message went where.
#include <cstdint>
#include <string>
#include <vector>

namespace civitas::report {

/// One thing that a rank did.
struct TraceSpan {
    int rank = 0;
    std::string name;      ///< `D0.real.F3`
    std::string category;  ///< groups of names: `F`, `wait`
    double begin_s = 0;
    double end_s = 0;
};
/// From the end of one span to the beginning of another, drawn as an arrow.
struct TraceMessage {
    std::string name;
    int from = 0, to = 0;  ///< ranks
    double left_s = 0;
    double arrived_s = 0;
};
struct Trace {
    std::vector<std::string> ranks;  ///< what each is called
    std::vector<TraceSpan> spans;
    std::vector<TraceMessage> messages;
};

/// The whole file, as of the Trace Event Format: complete events (ph X) and flows (ph s and f),
/// times in microseconds.
[[nodiscard]] std::string to_chrome_json(const Trace& trace);

}  // namespace civitas::report
