#include "civitas/population/start.hpp"

#include "civitas/base/error.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/environment/machine.hpp"
#include "civitas/planner/execution_layout.hpp"

#include <algorithm>
#include <filesystem>

namespace civitas::population {
namespace {

namespace fs = std::filesystem;

bool holds_run(const fs::path& folder) {
    std::error_code unreadable;
    return fs::exists(folder / "config.ini", unreadable);
}

bool asks_for_gpu(Rank rank_of_job, const Groups& groups, const planner::LayoutOptions& options) {
    const MeshShape mesh = options.mesh.of_ranks(groups.ranks_each());
    const Rank first = groups.first_rank(groups.group_of(rank_of_job));
    const Coordinate mine = mesh.coordinate(Rank{index(rank_of_job) - index(first)});
    const auto devices = planner::stage_devices(options, mesh);
    return devices.at(static_cast<std::size_t>(mine.pipe())) == DeviceKind::cuda;
}

}  // namespace

std::vector<Member> members_of(const planner::Configuration& c) {
    const planner::RunOptions& o = c.run_options;
    if (!o.trace.empty())
        throw UsageError(text("--trace ", o.trace, " is one file, --population ", o.population,
                              " would write as many"),
                         Hint{"trace one model alone"});
    if (holds_run(o.run))
        throw UsageError(text("--run ", o.run, " holds a run of its own, and no population"),
                         Hint{"another --run"});
    return members_of(Request{o.run, o.population, o.vary, c.problem.seed});
}

void check_alone(const planner::RunOptions& o) {
    if (!o.vary.empty())
        throw UsageError(text("--vary ", o.vary.front(), " is for populations"),
                         Hint{"--population with the number of models"});
    const fs::path first = fs::path(o.run) / "1";
    if (holds_run(first) && !holds_run(o.run))
        throw UsageError(text("--run ", o.run, " holds a population, and no run of its own"),
                         Hint{text("--population with its number of models, or --run ",
                                   first.string(), " for one of them")});
}

void share_machine(const comm::Communicator& job, const Groups& groups,
                   planner::LayoutOptions& options, Log& log) {
    struct Resident {
        int group;
        bool asks;
    };
    const int group = groups.group_of(job.rank());
    const bool asks = comm::agree(job, [&] { return asks_for_gpu(job.rank(), groups, options); });
    const auto residents = job.split_by_machine().all_gather(Resident{group, asks});
    const auto of_group = std::count_if(residents.begin(), residents.end(),
                                        [&](const Resident& r) { return r.group == group; });
    const auto before = std::count_if(residents.begin(), residents.end(),
                                      [&](const Resident& r) { return r.group < group && r.asks; });
    options.share = {static_cast<double>(of_group) / static_cast<double>(residents.size()),
                     static_cast<int>(before)};
    options.threads = environment::set_threads(job, options.threads, log);
}

}  // namespace civitas::population
