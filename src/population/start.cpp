#include "civitas/population/start.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/names.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/environment/machine.hpp"
#include "civitas/planner/execution_layout.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace civitas::population {
namespace {

namespace fs = std::filesystem;

bool holds_run(const fs::path& folder) {
    std::error_code unreadable;
    return fs::exists(folder / "config.ini", unreadable);
}

/// What a resolved configuration says of an option; nothing where it says nothing.
std::optional<std::string> value_in(std::istream&& lines, const std::string& option) {
    const std::string begin = option + " = ";
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with(begin)) return line.substr(begin.size());
    return std::nullopt;
}

/// `1e-4` and `0.0001` are.
bool are_equal(const std::string& a, const std::string& b) {
    const auto number = [](const std::string& words) -> std::optional<double> {
        double value = 0;
        const char* const end = words.data() + words.size();
        const auto [read, error] = std::from_chars(words.data(), end, value);
        return error == std::errc{} && read == end ? std::optional(value) : std::nullopt;
    };
    return a == b || (number(a) && number(a) == number(b));
}

bool asks_for_gpu(Rank rank_of_job, const Groups& groups, const planner::LayoutOptions& options) {
    const auto group = groups.group_of(rank_of_job);
    if (!group) return false;
    const MeshShape mesh = options.mesh.of_ranks(groups.ranks_of(*group));
    const Rank first = groups.first_rank(*group);
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
    (void)when_failed(c);
    return members_of(Request{o.run, o.population, o.vary, c.problem.seed});
}

// The table would name values that the member was not trained with.
void require_same(const Member& member, const planner::Configuration& resolved) {
    for (const auto& [option, value] : member.settings) {
        const auto before = value_in(std::ifstream(member.run / "config.ini"), option);
        const auto now = value_in(std::istringstream(resolved.resolved), option).value_or(value);
        if (before && !are_equal(*before, now))
            throw UsageError(text(member.run, " was begun with ", option, " = ", *before,
                                  ", and is to go on with ", now),
                             Hint{"the --vary of its first start, or another --run"});
    }
}

WhenFailed when_failed(const planner::Configuration& c) {
    static constexpr std::array<NamedValue<WhenFailed>, 2> kinds{
        {{"idle", WhenFailed::idle}, {"join", WhenFailed::join}}};
    const WhenFailed found = value_named(c.run_options.when_failed, "when-failed", kinds);
    const auto refuse = [&](bool given, const std::string& why) {
        if (given && found == WhenFailed::join)
            throw UsageError(
                "--when-failed join gives members more ranks than they began with: " + why,
                Hint{"--when-failed idle"});
    };
    refuse(!c.layout_options.mesh.empty(), "--mesh says how many they have");
    refuse(c.update.kind == UpdateKind::async,
           "those of --update async share memory, which ranks of another node do not have");
    refuse(c.update.kind == UpdateKind::server,
           "servers of --update server do not count epochs while they serve");
    refuse(c.problem.sync_batch_norm, "--sync-batch-norm normalises over those they have");
    return found;
}

void check_alone(const planner::RunOptions& o) {
    if (o.when_failed != "idle")
        throw UsageError(text("--when-failed ", o.when_failed, " is for populations"),
                         Hint{"--population with the number of models"});
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
        std::size_t group;
        bool asks;
    };
    const std::size_t group = groups.group_of(job.rank()).value_or(groups.size());
    const bool asks = comm::agree(job, [&] { return asks_for_gpu(job.rank(), groups, options); });
    const auto residents = job.split_by_machine().all_gather(Resident{group, asks});
    const auto of_group = std::count_if(residents.begin(), residents.end(),
                                        [&](const Resident& r) { return r.group == group; });
    const auto before = std::count_if(residents.begin(), residents.end(),
                                      [&](const Resident& r) { return r.group < group && r.asks; });
    options.share = {static_cast<double>(of_group) / static_cast<double>(residents.size()),
                     static_cast<int>(before) * options.replicas};
    options.threads = environment::set_threads(job, options.threads, log, options.replicas);
}

}  // namespace civitas::population
