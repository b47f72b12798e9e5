#include "watch.hpp"

#include "civitas/base/exit.hpp"
#include "civitas/io/files.hpp"
#include "civitas/io/unused_name.hpp"

#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <future>
#include <iostream>

namespace civitas::train {
namespace {

using environment::Patience;
using environment::Standstill;

/// What tells of a standstill needs, for as long as threads may.
struct Teller {
    Rank rank, in_job;  ///< in the run, and as a standstill counts it
    runs::RunFolder folder;
    environment::Words words;
    Log& log;

    void tell(const Standstill& standstill) const {
        const std::string name = headline(standstill, words);
        std::cerr << text("rank ", index(in_job), ": error: ",
                          standstill.of_all ? "no rank of this node has moved for "
                                            : "a rank of this node has not moved for ",
                          standstill.limit_s, " s: ", name, '\n', ranks_in_words(standstill, words))
                  << std::flush;
        std::cerr << keep_report(folder, rank, standstill, words) << std::flush;
        log.record("error: hang: " + name);
    }
};

std::string said(const Patience& patience) {
    return text("watchdog: a job whose ranks do not move for ", patience.limit_s, " s is ended (",
                patience.of_long_work * patience.limit_s, " s while it saves, draws or ends)");
}

}  // namespace

Patience patience_of(std::optional<double> hang_seconds, double seconds_of_step) {
    constexpr double least = 600, steps = 20;
    const double limit = hang_seconds.value_or(std::max(least, std::ceil(steps * seconds_of_step)));
    return {.limit_s = limit,
            .grace_s = std::clamp(limit / 4, 0.5, 10.0),
            .interval_s = std::clamp(limit / 10, 0.05, 1.0)};
}

std::optional<std::string> doubt(const Patience& patience, double seconds_of_step) {
    constexpr double few = 3, many = 10;
    if (patience.limit_s == 0 || patience.limit_s >= few * seconds_of_step) return std::nullopt;
    return text("--hang-seconds ", patience.limit_s, ", but a step should take ", seconds_of_step,
                " s: a slow one may be taken for a hang. Hint: --hang-seconds ",
                std::ceil(many * seconds_of_step), ", or auto.");
}

std::string keep_report(const runs::RunFolder& folder, Rank rank, const Standstill& standstill,
                        const environment::Words& words) {
    try {
        const auto file = io::unused_name(folder.hang(rank), "");
        io::write_text_file(file, environment::report(standstill, words));
        return text("their last actions: ", file.string(), ". The job is ended in ",
                    standstill.grace_s,
                    " s. Hint: see what holds that process up (its machine, its file server, a "
                    "debugger); the same command goes on from the last checkpoint; --hang-seconds "
                    "N waits longer, 0 for ever.\n");
    } catch (const std::exception& e) {
        return text("their last actions could not be written: ", e.what(), '\n');
    }
}

Watch::Watch(const steps::Run& run, std::function<void()> last_act)
    : run_(run),
      patience_(
          patience_of(run.configuration.run_options.hang_seconds, run.plan.seconds_of_step())) {
    if (patience_.limit_s == 0) return;
    run.log.info(said(patience_));
    if (const auto words = doubt(patience_, run.plan.seconds_of_step()); words && run.is_root())
        run.log.warn(*words);
    open_board();
    poster_.emplace(*board_, place_.slot, run.mesh.group(Axis::pipe));
    watchdog_.emplace(*board_, place_, patience_, acts(std::move(last_act)));
    // Last: a constructor that throws is followed by no destructor.
    run.ranks.observe_waits(&*poster_);
}

Watch::~Watch() { run_.ranks.observe_waits(nullptr); }

void Watch::open_board() {
    const comm::Communicator& world = run_.ranks;
    const bool alone = run_.configuration.update.kind == UpdateKind::async;
    const bool together = run_.configuration.update.kind == UpdateKind::sync;
    const MeshShape mesh = !together ? MeshShape{{Axis::data, world.size()}} : run_.mesh.shape();
    node_.emplace(comm::node_of(world, run_.configuration.layout_options.node_size));
    place_ = {{}, mesh, index(node_->rank()), world.rank_in_job(Rank{0}), alone};
    for (const Rank rank : each<Rank>(node_->size()))
        place_.ranks.push_back(node_->rank_in_job(rank));
    try {
        shared_.emplace(*node_, environment::Board::bytes_for(node_->size()));
        board_.emplace(shared_->bytes(), node_->size());
    } catch (const AgreedError& e) {
        if (node_->is_root())
            run_.log.warn(
                text("the watchdog of each rank of this node sees that rank alone: ", e.what()));
        place_ = {{world.rank_in_job(world.rank())}, mesh, 0, place_.first, alone};
        own_.resize(static_cast<std::size_t>(environment::Board::bytes_for(1)) /
                    sizeof(std::uint64_t));
        board_.emplace(std::as_writable_bytes(std::span(own_)), 1);
    }
}

environment::WatchdogActs Watch::acts(std::function<void()> last_act) const {
    const auto workload =
        planner::workload_of(run_.configuration.problem, run_.configuration.hyperparameters);
    const comm::Communicator& world = run_.ranks;
    const Teller teller{world.rank(), world.rank_in_job(world.rank()), run_.folder,
                        tasks::words_for(run_.plan.layout, workload), run_.log};
    return {.tell = [teller](const Standstill& standstill) { teller.tell(standstill); },
            .take_back =
                [&log = run_.log](std::optional<Rank> rank) {
                    log.warn(rank ? text("rank ", index(*rank), " moves again")
                                  : "the ranks move again: the job goes on");
                },
            .end =
                [grace = patience_.grace_s, act = std::move(last_act)] {
                    const auto done = std::async(std::launch::async, act);
                    (void)done.wait_for(std::chrono::duration<double>(grace));
                    ::_exit(static_cast<int>(Exit::error));
                }};
}

}  // namespace civitas::train
