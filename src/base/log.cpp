#include "civitas/base/log.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/process.hpp"
#include "civitas/base/text.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iostream>
#include <utility>

namespace civitas {

void Log::open(const std::filesystem::path& file) {
    constexpr mode_t everyone_reads = 0666;  // less the umask
    // Not blocking: a pipe under this name would wait for a reader.
    constexpr int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK;
    Descriptor opened(::open(file.c_str(), flags, everyone_reads));
    if (!opened)
        throw Error(text("cannot write ", file, ": ", system_error()),
                    Hint{"check the folder's permissions"});
    file_ = std::move(opened);
    name_ = file;
}

// Room may come back: every line is tried.
void Log::keep(const std::string& line) {
    if (!file_) return;
    const std::string whole = line + '\n';
    const ssize_t written = ::write(file_.get(), whole.data(), whole.size());
    if (written == std::ssize(whole)) return;
    if (lost_++ == 0) reason_ = std::strerror(written < 0 ? errno : ENOSPC);
}

void Log::info(const std::string& line) {
    const std::scoped_lock lock(mutex_);
    if (rank_ == Rank{0}) std::cout << spoken(line) + '\n' << std::flush;
    keep(line);
}

void Log::warn(const std::string& line) {
    const std::scoped_lock lock(mutex_);
    std::cerr << spoken(text("rank ", index(rank_), ": warning: ", line)) + '\n' << std::flush;
    keep("warning: " + line);
}

void Log::record(const std::string& line) {
    const std::scoped_lock lock(mutex_);
    keep(line);
}

std::string Log::losses() const {
    const std::scoped_lock lock(mutex_);
    if (lost_ == 0) return {};
    return text(counted(lost_, "line", "lines"), " could not be written to ", name_, ": ", reason_);
}

std::string Log::spoken(const std::string& lines) const {
    if (speaker_.empty()) return lines;
    const std::string front = speaker_ + ": ";
    std::string told = front;
    for (const char letter : lines) {
        told += letter;
        if (letter == '\n') told += front;
    }
    return told;
}

bool Log::is_terminal() const {
    return rank_ == Rank{0} && !rank_by_launcher() && isatty(STDOUT_FILENO) == 1;
}

Progress::Progress(Log& log, std::string title, std::int64_t total)
    : log_(log), title_(std::move(title)), total_(std::max<std::int64_t>(total, 1)) {}

void Progress::advance(std::int64_t done) {
    const std::int64_t percent = 100 * std::min(done, total_) / total_;
    if (log_.is_terminal()) {
        if (percent == shown_) return;
        const auto filled = static_cast<std::size_t>(percent * 40 / 100);
        std::cout << '\r' << title_ << " [" << std::string(filled, '#')
                  << std::string(40 - filled, '.') << "] " << percent << " %"
                  << (percent == 100 ? "\n" : "") << std::flush;
    } else {
        if (shown_ >= 0 && percent / 10 == shown_ / 10) return;
        log_.info(text(title_, ": ", percent, " %"));
    }
    shown_ = percent;
}

}  // namespace civitas
