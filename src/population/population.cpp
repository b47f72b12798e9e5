#include "civitas/population/population.hpp"

#include "best_link.hpp"
#include "meeting.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/comm/revocation.hpp"
#include "civitas/io/files.hpp"

#include <algorithm>
#include <iostream>

namespace civitas::population {
namespace {

namespace fs = std::filesystem;

/// Whether another rank has been asked to stop, or has told so.
bool told_to_stop(const comm::Revocation& stop) {
    try {
        stop.check();
    } catch (const comm::Revoked&) {
        return true;
    }
    return false;
}

/// One rank of a member, at work on it.
class Worker {
public:
    Worker(const comm::Communicator& job, const Groups& groups, const std::vector<Member>& members,
           const Work& work)
        : group_(groups.group_of(job.rank())),
          ranks_(job.split(group_, index(job.rank()))),
          member_(members.at(static_cast<std::size_t>(group_))),
          work_(work),
          log_(ranks_.rank(), name_of(member_)) {}

    [[nodiscard]] Ending train() {
        Ending ending;
        try {
            ending.exit = work_.train(ranks_, member_, log_);
        } catch (const AgreedError& e) {
            ending.exit = e.usage() ? Exit::usage : Exit::error;
            ending.cause = e.what();
            if (ranks_.is_root())
                std::cerr << log_.spoken("error: " + ending.cause) + '\n' << std::flush;
        }
        if (ranks_.is_root()) ending.steps = work_.steps(member_);
        return ending;
    }

    /// None where plans cannot be compared, which is told.
    [[nodiscard]] std::optional<Figures> evaluate() {
        try {
            return work_.evaluate(ranks_, member_, log_);
        } catch (const AgreedError& e) {
            if (ranks_.is_root()) log_.warn(text("cannot be compared: ", e.what()));
            return std::nullopt;
        }
    }

private:
    int group_;
    comm::Communicator ranks_;
    const Member& member_;
    const Work& work_;
    Log log_;
};

/// What the first rank of each member says of its end, on all ranks. Collective.
std::vector<Ending> gathered(const comm::Communicator& job, const Groups& groups,
                             const Ending& mine, std::size_t members) {
    struct Numbers {
        Exit exit;
        std::int64_t steps;
        bool compared;
        Figures figures;
    };
    const auto numbers = job.all_gather(
        Numbers{mine.exit, mine.steps, mine.figures.has_value(), mine.figures.value_or(Figures{})});
    const auto causes = job.all_gather(mine.cause);
    std::vector<Ending> endings;
    for (std::size_t i = 0; i < members; ++i) {
        const auto rank = static_cast<std::size_t>(groups.first_rank(static_cast<int>(i)));
        const Numbers& n = numbers.at(rank);
        endings.push_back({n.exit, causes.at(rank), n.steps, {}});
        if (n.compared) endings.back().figures = n.figures;
    }
    return endings;
}

bool any_stopped(const std::vector<Ending>& endings) {
    return std::any_of(endings.begin(), endings.end(),
                       [](const Ending& e) { return e.exit == Exit::stopped; });
}

/// Throws AgreedError where no member came to a step: then there is nothing to tell of, and maybe
/// no folder.
void require_one(const std::vector<Ending>& endings) {
    const Ending& first = endings.front();
    if (std::all_of(endings.begin(), endings.end(),
                    [](const Ending& e) { return e.failed() && e.steps == 0; }))
        throw AgreedError("no member could begin: " + first.cause, first.exit == Exit::usage);
}

void tell(const comm::Communicator& job, const fs::path& folder, const std::vector<Member>& members,
          const std::vector<Ending>& endings) {
    comm::on_root(job, [&] {
        const std::string table = table_of(members, endings);
        Log(job.rank()).info("population " + folder.string() + ":\n" + table);
        io::write_text_file(folder / "population.txt", table);
        if (const auto best = best_of(endings)) link_best(folder, members.at(*best).run.filename());
    });
}

fs::path stopped_file(const fs::path& folder) { return folder / "stopped"; }

/// Leaves a word for who starts the job again, as a run does: the step that all have saved.
Exit stopped_in(const comm::Communicator& job, const fs::path& folder,
                const std::vector<Ending>& endings) {
    const Exit exit = exit_of(endings);
    comm::on_root(job, [&] {
        const auto last =
            std::min_element(endings.begin(), endings.end(),
                             [](const Ending& a, const Ending& b) { return a.steps < b.steps; });
        if (exit == Exit::stopped)
            io::write_text_file(stopped_file(folder), text(last->steps, '\n'));
    });
    return exit;
}

}  // namespace

Exit train(const comm::Communicator& job, const fs::path& folder,
           const std::vector<Member>& members, const Work& work, StopSignals& signals) {
    const Groups groups = comm::agree(
        job, [&] { return Groups(job.size(), static_cast<std::int64_t>(members.size())); });
    Worker worker(job, groups, members, work);
    Meeting meeting(job);
    comm::Revocation stop(job);
    const StopSignals::Shared shared(signals, [&](bool seen) {
        const bool told = told_to_stop(stop);
        if (seen && !told) stop.revoke();
        return told;
    });
    // From here on a signal ends no process at once: other members have something to save.
    const auto look = [&] { (void)signals.requested(); };
    look();
    comm::on_root(job, [&] { fs::remove(stopped_file(folder)); });
    Ending mine = worker.train();
    meeting.wait(look);
    auto endings = gathered(job, groups, mine, members.size());
    stop.drain();
    require_one(endings);
    if (any_stopped(endings)) return stopped_in(job, folder, endings);
    if (mine.exit == Exit::done) mine.figures = worker.evaluate();
    meeting.wait([] {});
    endings = gathered(job, groups, mine, members.size());
    tell(job, folder, members, endings);
    return exit_of(endings);
}

}  // namespace civitas::population
