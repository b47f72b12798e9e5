#include "civitas/report/metrics.hpp"

#include "line_step.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/shell.hpp"

#include <algorithm>
#include <fstream>
#include <functional>

namespace civitas::report {
namespace {

namespace fs = std::filesystem;

/// Lines of a file up to a step.
struct Kept {
    std::uint64_t bytes = 0;  ///< with their line ends
    std::int64_t unreadable = 0;
};

Kept for_each_kept(const fs::path& file, std::int64_t last_step,
                   const std::function<void(const std::string&)>& keep) {
    std::ifstream in(file, std::ios::binary);
    if (!in) throw Error(text("cannot read ", file), Hint{"move it away to start a new one"});
    Kept kept;
    for (std::string line; std::getline(in, line);) {
        const auto step = step_of(line);
        if (!step) ++kept.unreadable;
        if (!step || *step > last_step) continue;
        kept.bytes += line.size() + 1;
        keep(line);
    }
    if (in.bad()) throw Error(text("cannot read ", file), Hint{"is its disk whole?"});
    return kept;
}

void cut_back(const fs::path& file, std::int64_t last_step) {
    io::AtomicFile shorter(file);
    std::ofstream out(shorter.part(), std::ios::binary | std::ios::trunc);
    for_each_kept(file, last_step, [&](const std::string& line) { out << line << '\n'; });
    out.close();
    if (!out) throw Error(text("cannot cut back ", file), Hint{"is the disk full?"});
    shorter.commit();
}

/// Returns the number of lines that could not be read.
std::int64_t prepare(const fs::path& file, std::int64_t last_step) {
    if (!fs::is_directory(file.parent_path()))
        throw Error(text("cannot write ", file, ": its folder is missing"),
                    Hint{text("mkdir -p ", shell_quoted(file.parent_path().string()))});
    if (!fs::exists(fs::symlink_status(file))) return 0;
    if (!fs::is_regular_file(file))
        throw Error(text("cannot write ", file, ": it is no regular file"),
                    Hint{"move it away to start a new one"});
    const Kept kept = for_each_kept(file, last_step, [](const std::string&) {});
    if (kept.bytes != fs::file_size(file)) cut_back(file, last_step);
    return kept.unreadable;
}

}  // namespace

MetricsFile::MetricsFile(const fs::path& file, std::int64_t last_step)
    : unreadable_(prepare(file, last_step)),
      file_(io::RawFile::open_to_write(file)),
      end_(file_.size()) {}

void MetricsFile::make_room() {
    constexpr std::uint64_t block = 4096;
    const std::uint64_t two_lines = 2 * longest_line_;
    if (end_ + two_lines <= room_) return;
    file_.set_aside(end_, two_lines + block);
    room_ = end_ + two_lines + block;
}

void MetricsFile::append(const StepRecord& record) {
    const std::string line = to_json(record) + '\n';
    longest_line_ = std::max<std::uint64_t>(longest_line_, line.size());
    file_.write_at(end_, std::as_bytes(std::span<const char>(line)));
    end_ += line.size();
}

}  // namespace civitas::report
