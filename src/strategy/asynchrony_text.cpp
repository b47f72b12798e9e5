#include "civitas/base/error.hpp"
#include "civitas/base/require_range.hpp"
#include "civitas/base/text.hpp"
#include "civitas/base/update_kind.hpp"
#include "civitas/strategy/asynchrony.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iomanip>
#include <sstream>

namespace civitas::strategy {
namespace {

constexpr std::int64_t steps_of_a_rank = 300;
constexpr std::size_t most_named = 8;  // kinds of ranks, values of staleness

void line(std::ostream& out, const std::string& first, const std::vector<std::string>& cells) {
    out << "  " << std::left << std::setw(20) << first << std::right;
    for (const std::string& cell : cells) out << std::setw(16) << cell;
    out << '\n';
}

struct Kind {
    std::int64_t ranks = 0, steps = 0;
};

void add_ranks(std::ostream& out, const RankTimes& times, const Forecast& forecast) {
    std::map<double, Kind> kinds;
    std::int64_t all = 0;
    for (std::size_t rank = 0; rank < times.steps.size(); ++rank) {
        Kind& kind = kinds[times.steps[rank]];
        ++kind.ranks;
        kind.steps += forecast.steps[rank];
        all += forecast.steps[rank];
    }
    line(out, "a step alone", {"ranks", "steps of each", "of all steps"});
    std::size_t named = 0;
    for (const auto& [seconds, kind] : kinds) {
        if (++named > most_named) continue;
        line(out, text(fixed(seconds, 3), " s"),
             {text(kind.ranks),
              fixed(static_cast<double>(kind.steps) / static_cast<double>(kind.ranks), 1),
              percent(static_cast<double>(kind.steps) / static_cast<double>(all))});
    }
    if (named > most_named) line(out, text("and ", named - most_named, " other times"), {});
}

std::string staleness_in_words(const Forecast& forecast) {
    std::ostringstream out;
    out << "Staleness: mean " << fixed(forecast.mean_staleness(), 2) << ", largest "
        << forecast.staleness.rbegin()->first << "; ";
    if (forecast.staleness.size() > most_named) {
        out << "half of the steps at most " << forecast.staleness_of(0.5) << ", nine in ten "
            << forecast.staleness_of(0.9);
    } else {
        out << "steps by staleness";
        const char* before = ": ";
        for (const auto& [missed, steps] : forecast.staleness) {
            out << before << missed << ": " << steps;
            before = ", ";
        }
    }
    out << ".\n";
    return out.str();
}

std::vector<double> seconds_of(const std::string& words) {
    std::vector<double> all;
    std::istringstream parts(words);
    for (std::string part; std::getline(parts, part, ',');) {
        double seconds = 0;
        const char* const end = part.data() + part.size();
        const auto [read, error] = std::from_chars(part.data(), end, seconds);
        if (error != std::errc{} || read != end || !(seconds >= 1e-6 && seconds <= 1e6))
            throw UsageError(
                text("--rank-seconds ", words, ": '", part, "' is no time of a step in seconds"),
                Hint{"0.3,0.3,0.6: one for each rank, from 1e-6 to 1e6"});
        all.push_back(seconds);
    }
    return all;
}

void check(const RankTimes& times, std::size_t named) {
    if (named > times.steps.size())
        throw UsageError(
            text("--rank-seconds has ", named, " times for ", times.steps.size(), " ranks"),
            Hint{"as many or fewer, which are repeated in turn"});
    const double shortest = *std::min_element(times.steps.begin(), times.steps.end());
    if (!(times.update >= 0 && times.update <= shortest))
        throw UsageError(text("--update-seconds ", times.update, ": the shortest step takes ",
                              shortest, " s, its update in it"),
                         Hint{text("0 to ", shortest)});
    if (!(times.jitter >= 0 && times.jitter < 1))
        throw UsageError(text("--jitter ", times.jitter, ": expected 0 to below 1"));
}

/// Of updates that are not planned by times.
void refuse_times(const RankWords& words, UpdateKind kind) {
    const bool in_step = kind == UpdateKind::sync && words.max_staleness != "auto";
    const char* const given = !words.seconds.empty()      ? "--rank-seconds"
                              : words.update_seconds != 0 ? "--update-seconds"
                              : words.jitter != 0         ? "--jitter"
                              : in_step                   ? "--max-staleness"
                                                          : nullptr;
    if (given != nullptr)
        throw UsageError(text(given, " is what --update async is planned by"),
                         Hint{"--update async, which tells what sync would do, too"});
}

}  // namespace

std::string to_text(const RankTimes& times) {
    const auto ranks = static_cast<std::int64_t>(times.steps.size());
    const std::int64_t batches = steps_of_a_rank * ranks;
    const Forecast async = without_waiting(times, batches);
    const Forecast sync = in_step(times, steps_of_a_rank);
    const double alone = 1 / *std::min_element(times.steps.begin(), times.steps.end());
    std::ostringstream out;
    out << "Ranks that share weights and do not wait: " << ranks << ", " << batches
        << " steps on paper, each with an update of " << fixed(times.update, 3) << " s in "
        << times.slices << " slices.\n";
    add_ranks(out, times, async);
    out << '\n';
    line(out, "--update", {"async", "sync"});
    line(out, "batches a second",
         {fixed(async.batches_per_second(), 2), fixed(sync.batches_per_second(), 2)});
    line(out, "to the fastest rank",
         {fixed(async.batches_per_second() / alone, 2),
          fixed(sync.batches_per_second() / alone, 2)});
    line(out, "waiting", {percent(async.share_of_waiting()), percent(sync.share_of_waiting())});
    out << '\n' << staleness_in_words(async);
    return out.str();
}

NotPlannedBy not_planned_by(UpdateKind kind) {
    switch (kind) {
        case UpdateKind::sync: break;
        case UpdateKind::async:
            return {{"mesh", "machine", "measure", "profile", "draw", "print"},
                    "ranks that do not wait are planned by --rank-seconds alone"};
        case UpdateKind::server:
            return {{"mesh", "measure", "profile", "draw", "print", "replicas", "shard", "offload"},
                    "each rank among servers is planned for itself, with whole nets"};
    }
    return {};
}

UpdateOptions read_updates(const RankWords& words, int ranks) {
    const UpdateKind kind = parse_update_kind(words.update);
    require_range("servers", std::int64_t{words.servers}, 0, 1'000'000);
    if (words.servers != 0 && kind != UpdateKind::server)
        throw UsageError(text("--servers ", words.servers, " are of --update server"),
                         Hint{"add --update server, or leave out --servers"});
    if (kind == UpdateKind::server && ranks == 0)
        throw UsageError("--update server is planned for a number of ranks", Hint{"--ranks 4"});
    return {.kind = kind,
            .max_staleness = parse_staleness(words.max_staleness, kind),
            .servers = words.servers,
            .ranks = std::max(ranks, 1)};
}

std::optional<RankTimes> read_times(const RankWords& words, int ranks) {
    const UpdateKind kind = parse_update_kind(words.update);
    if (kind != UpdateKind::async) {
        refuse_times(words, kind);
        return std::nullopt;
    }
    RankTimes times{.steps = seconds_of(words.seconds),
                    .update = words.update_seconds,
                    .max_staleness = parse_staleness(words.max_staleness, UpdateKind::async),
                    .jitter = words.jitter};
    const std::size_t named = times.steps.size();
    if (named == 0)
        throw UsageError("--update async is planned by times of steps",
                         Hint{"--rank-seconds 0.3,0.3,0.6: what a step of each rank takes alone"});
    if (ranks > 0) times.steps.resize(static_cast<std::size_t>(ranks));
    for (std::size_t rank = named; rank < times.steps.size(); ++rank)
        times.steps[rank] = times.steps[rank - named];
    check(times, named);
    return times;
}

}  // namespace civitas::strategy
