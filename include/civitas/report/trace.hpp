#pragma once
/// Traces in the Chrome format, for Perfetto or chrome://tracing: who did what when, and which
/// message went where.
#include "civitas/io/files.hpp"

#include <cstdint>
#include <filesystem>
#include <string>

namespace civitas::report {

/// One thing that a rank did.
struct TraceSpan {
    int rank = 0;
    std::string name;      ///< `D0.real.F3`
    std::string category;  ///< groups of names: `F`, `wait`
    double begin_s = 0;
    double end_s = 0;
};
/// An arrow from the end of one span to the beginning of another.
struct TraceMessage {
    std::string name;
    int from = 0, to = 0;  ///< ranks
    double left_s = 0;
    double arrived_s = 0;
};

/// A file in the Trace Event Format that is written as its events come: complete events (ph X) and
/// flows (ph s and f), times in microseconds. It appears under its name when it is whole.
class TraceFile {
public:
    /// Begins a trace file. Throws Error where io::AtomicFile does.
    TraceFile(const std::filesystem::path& file, io::Replace replace);

    /// Names a rank. Throws Error when there is no room for it, as the other calls do.
    void name(int rank, const std::string& name);
    void add(const TraceSpan& span);
    void add(const TraceMessage& message);
    void commit();

private:
    /// Appends the text of an event.
    void put(const std::string& event);
    void flush();

    io::AtomicFile file_;
    io::RawFile part_;
    std::string text_;           ///< that is not written yet
    std::uint64_t written_ = 0;  ///< bytes
    std::int64_t messages_ = 0;
    bool first_ = true;  ///< nothing has been put so far
};

}  // namespace civitas::report
