#include "civitas/base/log.hpp"

#include "civitas/base/error.hpp"

#include <unistd.h>
#include <algorithm>
#include <cstdlib>
#include <iostream>

namespace civitas {

void Log::open(const std::filesystem::path& file) {
    file_.open(file, std::ios::app);
    if (!file_) throw Error(text("cannot write ", file), Hint{"check the folder's permissions"});
}

void Log::keep(const std::string& line) {
    if (file_.is_open()) file_ << line << std::endl;
}

void Log::say(const std::string& line) {
    const std::scoped_lock lock(mutex_);
    if (rank_ == Rank{0}) std::cout << line << std::endl;
    keep(line);
}

void Log::warn(const std::string& line) {
    const std::scoped_lock lock(mutex_);
    std::cerr << text("rank ", index(rank_), ": warning: ", line, '\n') << std::flush;
    keep("warning: " + line);
}

bool Log::draws() const {
    const bool launched =
        std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr || std::getenv("SLURM_PROCID") != nullptr;
    return rank_ == Rank{0} && !launched && isatty(STDOUT_FILENO) == 1;
}

Progress::Progress(Log& log, std::string title, std::int64_t total)
    : log_(log), title_(std::move(title)), total_(std::max<std::int64_t>(total, 1)) {}

void Progress::advance(std::int64_t done) {
    const std::int64_t percent = 100 * std::min(done, total_) / total_;
    if (log_.draws()) {
        if (percent == shown_) return;
        const auto filled = static_cast<std::size_t>(percent * 40 / 100);
        std::cout << '\r' << title_ << " [" << std::string(filled, '#')
                  << std::string(40 - filled, '.') << "] " << percent << " %"
                  << (percent == 100 ? "\n" : "") << std::flush;
    } else {
        if (shown_ >= 0 && percent / 10 == shown_ / 10) return;
        log_.say(text(title_, ": ", percent, " %"));
    }
    shown_ = percent;
}

}  // namespace civitas
