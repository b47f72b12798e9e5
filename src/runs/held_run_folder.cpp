#include "civitas/runs/held_run_folder.hpp"

#include "civitas/base/error.hpp"
#include "civitas/checkpoint/checkpoint.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/io/files.hpp"
#include "civitas/io/leftovers.hpp"
#include "civitas/io/sync.hpp"
#include "civitas/io/unused_name.hpp"

#include <utility>

namespace civitas::runs {
namespace {

namespace fs = std::filesystem;

/// For an owner of the lock that is just being ended.
constexpr double patience_seconds = 4;

void remove_leftovers(const RunFolder& folder) {
    io::remove_parts(folder.root, {"config.ini", "profile.json", "metrics.jsonl", "test.jsonl",
                                   "plan.json", "schedule.svg", "stopped", "resumed", "lock."});
    io::remove_parts(folder.checkpoints(), {"step-"});
    io::remove_parts(folder.samples(), {"step-"});
    io::remove_parts(folder.root / "log", {"hang-rank-"});
}

}  // namespace

HeldRunFolder hold_run_folder(const comm::Communicator& world, const std::string& name, Log& log) {
    HeldRunFolder held{RunFolder{name}, nullptr};
    comm::on_root(world, [&] {
        std::error_code failed;
        fs::create_directories(held.folder.root, failed);
        if (failed)
            throw Error(text("cannot write the run folder ", held.folder.root),
                        Hint{"another --run, or check its permissions"});
        held.lock = std::make_unique<io::FolderLock>(
            held.folder.root, patience_seconds, [&](const std::string& line) { log.warn(line); });
    });
    (void)make_run_folder(world, name);
    comm::on_root(world, [&] {
        io::sync_folder(held.folder.root);
        remove_leftovers(held.folder);
    });
    return held;
}

std::vector<fs::path> set_earlier_start_aside(const RunFolder& folder) {
    std::error_code unreadable;
    if (!fs::is_regular_file(folder.metrics(), unreadable) || fs::is_empty(folder.metrics()))
        return {};
    std::vector<fs::path> names;
    if (!fs::is_empty(folder.samples())) {
        names.push_back(io::set_aside(folder.samples(), ".old"));
        fs::create_directory(folder.samples());
    }
    for (const fs::path& file : {folder.test_scores(), folder.configuration(), folder.metrics()})
        if (fs::is_regular_file(file, unreadable)) names.push_back(io::set_aside(file, ".old"));
    io::sync_folder(folder.root);
    return names;
}

std::vector<fs::path> set_later_samples_aside(const RunFolder& folder, StepIndex last) {
    const auto by_step = [](const fs::path& file) {
        const std::string name = file.filename().string();
        return std::pair(name.size(), name);
    };
    const auto mine = by_step(folder.sample(index(last)));
    std::vector<fs::path> names;
    for (const fs::path& file : samples_in(folder))
        if (by_step(file) > mine) names.push_back(io::set_aside(file, ".abandoned"));
    return names;
}

std::optional<fs::path> set_other_configuration_aside(const RunFolder& folder,
                                                      const std::string& resolved) {
    std::error_code unreadable;
    const fs::path file = folder.configuration();
    if (!fs::is_regular_file(file, unreadable) || io::read_text_file(file) == resolved) return {};
    const fs::path name = io::set_aside(file, ".old");
    io::sync_folder(folder.root);
    return name;
}

std::vector<fs::path> set_checkpoints_aside(const RunFolder& folder,
                                            const std::optional<fs::path>& last,
                                            const std::string& ending) {
    std::vector<fs::path> names;
    for (const fs::path& file : checkpoint::list(folder.checkpoints())) {  // newest first
        if (last && fs::equivalent(file, *last)) break;
        names.push_back(io::set_aside(file, ending));
    }
    if (!names.empty()) io::sync_folder(folder.checkpoints());
    return names;
}

}  // namespace civitas::runs
