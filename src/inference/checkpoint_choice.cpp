#include "civitas/inference/checkpoint_choice.hpp"

#include "civitas/base/printable.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/runs/facts.hpp"
#include "civitas/runs/run_folder.hpp"

namespace civitas::inference {
namespace {

namespace fs = std::filesystem;

using Warn = std::function<void(const std::string&)>;

/// Names of the checkpoints in a run folder or a folder; empty on other ranks than the root.
/// Collective.
std::vector<fs::path> listed(const comm::Communicator& world, const fs::path& where) {
    std::vector<fs::path> files;
    comm::on_root(world, [&] {
        std::error_code unreadable;
        if (!fs::is_directory(where, unreadable)) return;
        const fs::path folder = runs::RunFolder{where}.checkpoints();
        files = checkpoint::list(fs::is_directory(folder, unreadable) ? folder : where);
    });
    return files;
}

/// What the root sees under a name; the others may see something else, or nothing.
bool root_sees_folder(const comm::Communicator& world, const fs::path& where) {
    std::error_code unreadable;
    return world.any(world.is_root() && fs::is_directory(where, unreadable));
}

fs::path checkpoint_at(const comm::Communicator& world, const fs::path& where, const Warn& warn) {
    comm::agree(world, [&] {
        std::error_code unreadable;
        if (!fs::exists(where, unreadable))
            throw UsageError(text("there is no checkpoint or run folder ", where,
                                  unreadable ? ": " + unreadable.message() : ""),
                             Hint{"--checkpoint with a file step-*.h5 or a run folder"});
    });
    if (!root_sees_folder(world, where)) return where;
    const fs::path folder = runs::RunFolder{where}.checkpoints();
    const auto newest =
        checkpoint::newest_whole(world, root_sees_folder(world, folder) ? folder : where, warn);
    if (!newest)
        comm::on_root(world, [&] {
            throw UsageError(
                text(where, " holds no checkpoint"),
                runs::runs_in(where, {"civitas train writes them into RUN/checkpoints"}));
        });
    return *newest;
}

}  // namespace

// A training that goes on in a run folder removes its older checkpoints: then the list has changed.
void read_checkpoint(const comm::Communicator& world, const fs::path& where, Log& log,
                     const std::function<void(const fs::path& file)>& read) {
    constexpr int most_tries = 10;
    for (int tries = 1; root_sees_folder(world, where); ++tries) {
        const auto before = listed(world, where);
        std::vector<std::string> warnings;
        try {
            read(checkpoint_at(world, where,
                               [&](const std::string& line) { warnings.push_back(line); }));
            for (const std::string& line : warnings) log.warn(line);
            return;
        } catch (const AgreedError&) {
            if (tries < most_tries && world.any(listed(world, where) != before)) continue;
            for (const std::string& line : warnings) log.warn(line);
            throw;
        }
    }
    read(checkpoint_at(world, where, [](const std::string&) {}));
}

planner::Problem problem_in(const fs::path& file, const checkpoint::Header& header) {
    try {
        return runs::problem_of(header.facts);
    } catch (const std::exception& e) {
        throw Error(text("the facts of ", file, " describe no net: ", printable(e.what())),
                    Hint{"another checkpoint: this one was not written by this program"});
    }
}

}  // namespace civitas::inference
