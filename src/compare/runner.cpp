#include "runner.hpp"

#include "quiet.hpp"
#include "scratch.hpp"

#include "civitas/base/log.hpp"
#include "civitas/base/text.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/io/files.hpp"
#include "civitas/population/start.hpp"
#include "civitas/runs/run_folder.hpp"
#include "civitas/train/train.hpp"

#include <ATen/Parallel.h>
#include <algorithm>

namespace civitas::compare {
namespace {

namespace fs = std::filesystem;

/// Layers take as long wherever as many ranks, of as many replicas, are at work; a profile is of
/// ranks that are one job, or one each.
std::string times_key(const Strategy& s, bool by_itself) {
    return text(s.ranks, by_itself ? " apart, " : " together, ", s.replicas);
}

std::string read_if_there(const fs::path& file) {
    std::error_code unreadable;
    return fs::exists(file, unreadable) ? io::read_text_file(file) : std::string();
}

}  // namespace

Runner::Runner(const comm::Communicator& world, const planner::Configuration& base,
               fs::path scratch, StopSignals& signals)
    : world_(world),
      base_(base),
      scratch_(std::move(scratch)),
      signals_(signals),
      store_(data::TileStore::open(world, base.run_options.tiles)) {}

std::vector<fs::path> Runner::folders_of(const Strategy& s) const {
    if (s.models == 1) return {scratch_ / "run"};
    std::vector<fs::path> folders;
    for (int model = 1; model <= s.models; ++model)
        folders.push_back(scratch_ / "run" / std::to_string(model));
    return folders;
}

planner::Configuration Runner::configuration_of(const Strategy& s) const {
    planner::Configuration c = applied(s, base_);
    c.run_options.run = folders_of(s).front().string();
    return c;
}

Exit Runner::train_models(const comm::Communicator& ranks, const Strategy& s,
                          planner::Configuration c, Log& log) {
    const population::Groups groups(ranks.size(), s.models);
    population::share_machine(ranks, groups, c.layout_options, log);
    const auto model = groups.group_of(ranks.rank()).value_or(0);
    const comm::Communicator own = ranks.split(static_cast<int>(model), index(ranks.rank()));
    c.problem.seed += model;
    c.run_options.run = folders_of(s).at(model).string();
    return train::train(own, c, signals_, log, &store_);
}

Runner::Ended Runner::train_here(const comm::Communicator& ranks, const Strategy& s) {
    const QuietOutput quiet;
    Log log(ranks.rank(), s.name);
    Ended ended;
    try {
        const planner::Configuration c = configuration_of(s);
        ended.exit = s.models > 1 ? train_models(ranks, s, c, log)
                                  : train::train(ranks, c, signals_, log, &store_);
    } catch (const AgreedError& e) {
        ended.exit = Exit::error;
        ended.error = e.what();
        ended.usage = e.usage();
    }
    ended.threads = at::get_num_threads() * s.replicas;
    return ended;
}

Attempt Runner::train(const Strategy& s) {
    comm::on_root(world_, [&] {
        ScratchFolder::clear(scratch_ / "run");
        bring_profile(s);
    });
    const bool takes_part = index(world_.rank()) < s.ranks;
    const comm::Communicator ranks = world_.split(takes_part ? 0 : 1, index(world_.rank()));
    const Ended mine = takes_part ? train_here(ranks, s) : Ended{};
    world_.barrier_at_rest([&] { (void)signals_.requested(); });
    Attempt attempt;
    attempt.stopped = world_.any(signals_.requested() || mine.exit == Exit::stopped);
    for (const std::string& error : world_.all_gather(mine.error)) {
        if (!attempt.error.empty() || error.empty()) continue;
        attempt.error = without_hint(error);
        attempt.hint = hint_of(error);
    }
    attempt.usage = !world_.any(!mine.error.empty() && !mine.usage);
    if (attempt.stopped || !attempt.error.empty()) return attempt;
    comm::on_root(world_, [&] {
        attempt.round = read_round(s, mine.threads);
        keep_profile(s);
    });
    return attempt;
}

std::string Runner::profile_of(const Strategy& s) const {
    for (const bool by_itself : {s.is_by_itself(), false}) {
        const auto found = profiles_.find(times_key(s, by_itself));
        if (found != profiles_.end()) return found->second;
    }
    return {};
}

void Runner::bring_profile(const Strategy& s) const {
    const auto found = profiles_.find(times_key(s, s.is_by_itself()));
    if (found == profiles_.end()) return;
    for (const fs::path& folder : folders_of(s)) {
        fs::create_directories(folder);
        io::write_text_file(runs::RunFolder{folder}.profile(), found->second);
    }
}

// One that a run has doubted is gone, and measured anew.
void Runner::keep_profile(const Strategy& s) {
    const auto file = runs::RunFolder{folders_of(s).front()}.profile();
    const std::string key = times_key(s, s.is_by_itself());
    if (const std::string profile = read_if_there(file); profile.empty())
        profiles_.erase(key);
    else
        profiles_[key] = profile;
}

Round Runner::read_round(const Strategy& s, int threads) const {
    const std::int64_t warm_up = warm_up_of(base_.run_options.steps);
    std::vector<Round> models;
    for (const fs::path& root : folders_of(s)) {
        const runs::RunFolder folder{root};
        models.push_back(round_of(io::read_text_file(folder.metrics()), warm_up));
    }
    Round round = together(models);
    round.threads = threads;
    return round;
}

}  // namespace civitas::compare
