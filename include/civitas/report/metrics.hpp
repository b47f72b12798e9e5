#pragma once
/// metrics.jsonl: what every step of a run told, a line each.
#include "civitas/io/files.hpp"
#include "civitas/report/step.hpp"

#include <cstdint>
#include <filesystem>

namespace civitas::report {

/// metrics.jsonl of a run, on its root rank.
class MetricsFile {
public:
    /// Opens for appending, after cutting back (atomically) every line later than `last_step` and
    /// any that cannot be read, such as one torn by a crash. A file that needs no cut is left as it
    /// is. Throws Error, also for what is no regular file.
    MetricsFile(const std::filesystem::path& file, std::int64_t last_step);
    /// Lines that could not be read and were left out.
    [[nodiscard]] std::int64_t unreadable() const noexcept { return unreadable_; }
    /// Makes sure that the disk has room for the next line and the one after it: a step whose line
    /// finds no room leaves a gap that nothing fills, so what is missing has to be known a step
    /// before. Throws Error on a full disk.
    void make_room();
    /// Appends the line of a step; it is with the operating system when this returns. Throws Error
    /// on a full disk; what was written of the line then is overwritten by the next.
    void append(const StepRecord& record);
    /// Brings all lines to the disk. Throws Error.
    void sync() const { file_.sync(); }

private:
    std::int64_t unreadable_ = 0;
    io::RawFile file_;
    std::uint64_t end_ = 0;
    std::uint64_t room_ = 0;             ///< until here it is set aside
    std::uint64_t longest_line_ = 1024;  ///< so far, and longer than most
};

}  // namespace civitas::report
