#include "summary.hpp"

#include "civitas/steps/held_bytes.hpp"

#include "civitas/base/median.hpp"
#include "civitas/base/text.hpp"
#include "civitas/environment/machine.hpp"

#include <iomanip>
#include <numeric>
#include <sstream>

namespace civitas::train {
namespace {

using report::HeldBytes;
using report::MostBytes;

/// `figures`: planned and measured, of the largest rank and then of the largest node.
std::string row(const std::string& what, const std::vector<std::string>& figures) {
    std::ostringstream line;
    line << "  " << std::left << std::setw(24) << what << std::right;
    for (const std::string& figure : figures) line << std::setw(12) << figure;
    return line.str();
}

std::string seconds_of(double seconds) {
    std::ostringstream out;
    out << std::setprecision(3) << seconds << " s";
    return out.str();
}

std::string cut_line(const report::CutFigures& cut, double seconds) {
    std::ostringstream line;
    line << std::setprecision(3) << "pipe " << cut.from << " -> " << cut.to << ": "
         << static_cast<double>(cut.bytes) / 1e6 << " MB a step";
    if (seconds > 0) line << ", waited for " << 100 * cut.waited_s / seconds << " % of the time";
    return line.str();
}

/// The same cuts, with what the receivers have waited in both.
std::vector<report::CutFigures> plus_waits(std::vector<report::CutFigures> cuts,
                                           const std::vector<report::CutFigures>& before) {
    for (std::size_t i = 0; i < std::min(cuts.size(), before.size()); ++i)
        cuts[i].waited_s += before[i].waited_s;
    return cuts;
}

}  // namespace

// Times of the first step are left out, in which libraries choose their kernels.
void Summary::add(const report::StepRecord& record) {
    if (record.made_alone) {
        ++steps_of_rank_[record.made_alone->rank];
        ++staleness_[record.made_alone->staleness];
    }
    if (record.made_in_parts) {
        for (const std::int64_t rank : record.made_in_parts->ranks) ++steps_of_rank_[rank];
        ++staleness_[record.made_in_parts->staleness];
    }
    if (steps_++ == 0) {
        cuts_ = record.cuts;
        for (report::CutFigures& cut : cuts_) cut.waited_s = 0;
        return;
    }
    cuts_ = plus_waits(record.cuts, cuts_);
    step_s_.push_back(record.seconds);
    bubbles_ += record.bubble_share;
}

std::optional<double> Summary::typical_seconds(std::int64_t steps) const {
    if (std::ssize(step_s_) != steps) return std::nullopt;
    return median(step_s_);
}

std::vector<std::string> Summary::lines(const steps::StepRunner& runner,
                                        const runs::RunState& state, double seconds) const {
    std::vector<std::string> lines{tiles_line(runner, seconds)};
    if (steps_ == 0) return lines;
    const auto add = [&](std::vector<std::string> more) {
        lines.insert(lines.end(), more.begin(), more.end());
    };
    add(async_lines());
    add(cut_lines());
    add(plan_lines(runner, state));
    return lines;
}

std::vector<std::string> Summary::async_lines() const {
    if (staleness_.empty()) return {};
    std::ostringstream ranks, stale;
    for (const auto& [rank, steps] : steps_of_rank_)
        ranks << (ranks.tellp() > 0 ? ", " : "") << "rank " << rank << ": " << steps;
    double sum = 0;
    for (const auto& [staleness, steps] : staleness_) {
        sum += static_cast<double>(staleness * steps);
        stale << (stale.tellp() > 0 ? ", " : "") << staleness << ": " << steps;
    }
    return {(run_.parts > 1 ? "parts of steps by rank: " : "steps by rank: ") + ranks.str(),
            text("staleness: mean ", fixed(sum / static_cast<double>(steps_), 2), ", largest ",
                 staleness_.rbegin()->first, "; steps by staleness: ", stale.str())};
}

std::string Summary::tiles_line(const steps::StepRunner& runner, double seconds) const {
    const auto tiles = static_cast<double>(steps_ * run_.configuration.problem.batch);
    std::ostringstream line;
    line << std::setprecision(3) << steps_ << " steps in " << seconds << " s, " << tiles / seconds
         << " tiles/s, waited " << run_.mesh.world().max(runner.waited_for_tiles())
         << " s for tiles";
    return line.str();
}

std::vector<std::string> Summary::cut_lines() const {
    const double seconds = std::accumulate(step_s_.begin(), step_s_.end(), 0.0);
    std::vector<std::string> lines;
    for (const report::CutFigures& cut : cuts_) lines.push_back(cut_line(cut, seconds));
    return lines;
}

// Where parts of several steps are made at the same time, some end right after another.
double Summary::measured_seconds() const {
    const UpdateOptions& update = run_.configuration.update;
    if (update.kind != UpdateKind::server || update.max_staleness.value_or(0) == 0)
        return median(step_s_);
    return std::accumulate(step_s_.begin(), step_s_.end(), 0.0) /
           static_cast<double>(step_s_.size());
}

std::vector<std::string> Summary::plan_lines(const steps::StepRunner& runner,
                                             const runs::RunState& state) const {
    std::vector<std::string> lines;
    if (run_.is_of_one_mesh())
        lines = {row("", {"a rank:", "", "a node:", ""}),
                 row("", {"planned", "measured", "planned", "measured"})};
    else
        lines = {row("", {"planned", "measured"})};
    if (!step_s_.empty()) {
        lines.push_back(
            row("step", {seconds_of(run_.plan.seconds_of_step()), seconds_of(measured_seconds())}));
        if (runner.transport() != nullptr)
            lines.push_back(
                row("bubble", {percent(run_.plan.step.bubble()),
                               percent(bubbles_ / static_cast<double>(step_s_.size()))}));
    }
    if (!run_.is_of_one_mesh()) lines.emplace_back("  memory of the first rank:");
    for (std::string& line : memory_lines(runner, state)) lines.push_back(std::move(line));
    return lines;
}

std::vector<std::string> Summary::memory_lines(const steps::StepRunner& runner,
                                               const runs::RunState& state) const {
    const comm::Communicator& world = run_.mesh.world();
    const NodeMap& nodes = run_.model.nodes();
    std::vector<HeldBytes> planned;
    std::vector<std::int64_t> sums;
    for (const planner::RankMemory& rank : steps::planned_memory(run_)) {
        planned.push_back(steps::in_parts(rank));
        sums.push_back(rank.sum());
    }
    const auto counted = world.all_gather(steps::counted_bytes(run_, runner, state));
    std::vector<std::string> lines;
    const auto add = [&](std::string_view what, MostBytes ours, MostBytes theirs) {
        std::vector figures{megabytes(ours.rank), megabytes(theirs.rank)};
        if (run_.is_of_one_mesh())
            figures.insert(figures.end(), {megabytes(ours.node), megabytes(theirs.node)});
        lines.push_back(row(std::string(what), figures));
    };
    const auto compare = [&](std::string_view what, auto figure) {
        const MostBytes ours = report::most_bytes(planned, nodes, figure);
        const MostBytes theirs = report::most_bytes(counted, nodes, figure);
        if (ours.rank > 0 || theirs.rank > 0) add(what, ours, theirs);
    };
    compare("weights, moments, sums", &HeldBytes::nets);
    compare("  parameters", &HeldBytes::parameters);
    compare("  sums of gradients", &HeldBytes::gradients);
    compare("  moments", &HeldBytes::moments);
    compare("  mean of weights", &HeldBytes::mean);
    compare(place_of(run_.plan.layout.offload), &HeldBytes::offloaded);
    compare("saved activations", &HeldBytes::activations);
    compare("message buffers", &HeldBytes::messages);
    compare("copy for checkpoints", &HeldBytes::copy);
    add("resident memory", report::most_bytes(sums, nodes),
        report::most_bytes(world.all_gather(environment::most_resident_bytes()), nodes));
    return lines;
}

}  // namespace civitas::train
