#include "civitas/population/population.hpp"

#include "best_link.hpp"
#include "rounds.hpp"
#include "worker.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/comm/revocation.hpp"
#include "civitas/io/files.hpp"
#include "civitas/io/leftovers.hpp"

#include <algorithm>
#include <limits>

namespace civitas::population {
namespace {

namespace fs = std::filesystem;

/// Whether another rank has told so.
bool is_told(const comm::Revocation& notice) {
    try {
        notice.check();
    } catch (const comm::Revoked&) {
        return true;
    }
    return false;
}

/// Puts down what the first rank of each member of a round says of its end. Collective.
void gather(const comm::Communicator& job, const Round& round, const Ending& mine,
            std::vector<Ending>& endings) {
    struct Numbers {
        Exit exit;
        std::int64_t steps;
        bool compared;
        Figures figures;
    };
    const auto numbers = job.all_gather(
        Numbers{mine.exit, mine.steps, mine.figures.has_value(), mine.figures.value_or(Figures{})});
    const auto causes = job.all_gather(mine.cause);
    for (std::size_t group = 0; group < round.members.size(); ++group) {
        const auto rank = static_cast<std::size_t>(round.groups.first_rank(group));
        const Numbers& n = numbers.at(rank);
        Ending& ending = endings.at(round.members[group]);
        ending = {n.exit, causes.at(rank), n.steps, {}};
        if (n.compared) ending.figures = n.figures;
    }
}

/// Throws AgreedError where no member came to a step: then there is nothing to tell of, and maybe
/// no folder.
void require_one(const std::vector<Ending>& endings) {
    const Ending& first = endings.front();
    if (std::all_of(endings.begin(), endings.end(),
                    [](const Ending& e) { return e.failed() && e.steps == 0; }))
        throw AgreedError("no member could begin: " + first.cause, first.exit == Exit::usage);
}

fs::path stopped_file(const fs::path& folder) { return folder / "stopped"; }
fs::path table_file(const fs::path& folder) { return folder / "population.txt"; }

void tell(const comm::Communicator& job, const fs::path& folder, const Comparison& comparison,
          const std::vector<Member>& members, const std::vector<Ending>& endings) {
    comm::on_root(job, [&] {
        const std::string table = table_of(comparison, members, endings);
        Log(job.rank()).info("population " + folder.string() + ":\n" + table);
        io::write_text_file(table_file(folder), table);
        if (const auto best = best_of(comparison, endings))
            link_best(folder, members.at(*best).run.filename());
    });
}

/// Leaves a word for who starts the job again, as a run does: the step that all have saved who can
/// go on. A table of an earlier job no longer holds.
void tell_stopped(const comm::Communicator& job, const fs::path& folder,
                  const std::vector<Ending>& endings) {
    comm::on_root(job, [&] {
        std::int64_t last = std::numeric_limits<std::int64_t>::max();
        for (const Ending& ending : endings)
            if (!ending.failed()) last = std::min(last, ending.steps);
        io::write_text_file(stopped_file(folder), text(last, '\n'));
        fs::remove(table_file(folder));
    });
}

/// All members of a job, from round to round.
class Population {
public:
    /// Collective, as all that follows is.
    Population(const comm::Communicator& job, const std::vector<Member>& members, const Work& work,
               StopSignals& signals)
        : job_(job),
          members_(members),
          work_(work),
          signals_(signals),
          round_(first_round(job, members.size())),
          stop_(job),
          failed_(job),
          shared_(
              signals, [this](bool seen) { return share_stop(seen); },
              [this] { return is_told(failed_); }),
          endings_(members.size()) {}

    /// Trains the members of a round, and returns how all have ended so far.
    const std::vector<Ending>& train(bool others_join) {
        worker_.emplace(job_, round_, members_, work_);
        const Ending mine = worker_->train();
        if (others_join && mine.failed() && worker_->speaks()) failed_.revoke();
        job_.barrier_at_rest([&] { (void)signals_.requested(); });
        gather(job_, round_, mine, endings_);
        failed_.drain();
        return endings_;
    }

    /// Whether members go on by other ranks in one more round.
    [[nodiscard]] bool go_on(const Joining& joining) {
        if (job_.any(signals_.requested())) return false;
        Round next = next_round(job_.size(), round_, endings_, joining.micro_batches);
        if (next.members.empty()) return false;
        round_ = std::move(next);
        is_first_ = false;
        if (job_.is_root())
            Log(job_.rank()).info(in_words(job_.size(), round_, members_, joining.micro_batches));
        joining.prepare(round_.groups);
        return true;
    }

    /// Nobody is asked to stop from now on.
    void end_training() { stop_.drain(); }

    /// How all have ended, with figures of those that are done.
    const std::vector<Ending>& compare() {
        if (!is_first_) {
            round_ = round_of_done(job_.size(), endings_);
            worker_.emplace(job_, round_, members_, work_);
        }
        const Ending mine = worker_->evaluate(endings_);
        job_.barrier_at_rest([] {});
        gather(job_, round_, mine, endings_);
        return endings_;
    }

private:
    bool share_stop(bool seen) {
        const bool told = is_told(stop_);
        if (seen && !told) stop_.revoke();
        return told;
    }

    const comm::Communicator& job_;
    const std::vector<Member>& members_;
    const Work& work_;
    StopSignals& signals_;
    Round round_;
    std::optional<Worker> worker_;
    comm::Revocation stop_, failed_;
    StopSignals::Shared shared_;
    std::vector<Ending> endings_;
    bool is_first_ = true;  ///< round
};

}  // namespace

Exit train(const comm::Communicator& job, const fs::path& folder,
           const std::vector<Member>& members, const Work& work, StopSignals& signals,
           const std::optional<Joining>& joining) {
    Population all(job, members, work, signals);
    // From here on a signal ends no process at once: other members have something to save.
    (void)signals.requested();
    comm::on_root(job, [&] {
        require_place_for_best(folder);
        fs::remove(stopped_file(folder));
        io::remove_parts(folder, {"population.txt", "stopped"});
    });
    auto endings = all.train(joining.has_value());
    while (joining && all.go_on(*joining)) endings = all.train(true);
    all.end_training();
    require_one(endings);
    const Exit exit = exit_of(endings);
    if (exit == Exit::stopped) {
        tell_stopped(job, folder, endings);
        return exit;
    }
    endings = all.compare();
    tell(job, folder, work.comparison, members, endings);
    return exit;
}

}  // namespace civitas::population
