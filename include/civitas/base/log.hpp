#pragma once
/// What the program tells: to the terminal from one rank, to a file from every rank.
#include "civitas/base/numbers.hpp"
#include "civitas/base/signals.hpp"

#include <filesystem>
#include <mutex>
#include <string>
#include <utility>

namespace civitas {

/// Lines for people. Rank 0 prints to standard output; every rank writes to its file when it has
/// one; warnings of any rank reach standard error with the rank in front. Thread-safe.
class Log {
public:
    /// `speaker`: stands in front of every line on the terminal, where ranks are at work on several
    /// things: `member 2`.
    explicit Log(Rank rank, std::string speaker = {}) : rank_(rank), speaker_(std::move(speaker)) {}

    /// Writes every line from now on to `file`, too (created or appended to).
    void open(const std::filesystem::path& file);

    void info(const std::string& line);
    /// What is told at length: of several speakers only the files have it.
    void detail(const std::string& lines) { speaker_.empty() ? info(lines) : record(lines); }
    void warn(const std::string& line);
    /// Writes a line to the file only: the terminal is told by other means.
    void record(const std::string& line);

    /// How many lines could not be written to the file, which ends nothing, and why; empty when
    /// none was lost.
    [[nodiscard]] std::string losses() const;

    /// `member 2: ` in front of every line of a text; the text itself where there is no speaker.
    [[nodiscard]] std::string spoken(const std::string& lines) const;

    /// True where progress may be drawn in place: on rank 0, with a terminal as standard output.
    /// Not under a launcher, which gives every rank a terminal of its own, wherever its output
    /// goes.
    [[nodiscard]] bool is_terminal() const;

private:
    void keep(const std::string& line);

    Rank rank_;
    std::string speaker_;
    std::filesystem::path name_;
    Descriptor file_;
    std::int64_t lost_ = 0;
    std::string reason_;  ///< for which the first of them was lost
    mutable std::mutex mutex_;
};

/// Progress of long work: a bar drawn in place on a terminal, a plain line every tenth otherwise.
class Progress {
public:
    Progress(Log& log, std::string title, std::int64_t total);
    void advance(std::int64_t done);

private:
    Log& log_;
    std::string title_;
    std::int64_t total_;
    std::int64_t shown_ = -1;
};

}  // namespace civitas
