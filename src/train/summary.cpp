#include "summary.hpp"

#include "start_report.hpp"

#include "civitas/base/median.hpp"
#include "civitas/base/text.hpp"
#include "civitas/environment/machine.hpp"

#include <iomanip>
#include <sstream>

namespace civitas::train {
namespace {

std::string row(const std::string& what, const std::string& planned, const std::string& measured) {
    std::ostringstream line;
    line << "  " << std::left << std::setw(24) << what << std::right << std::setw(12) << planned
         << std::setw(12) << measured;
    return line.str();
}

std::string seconds_of(double seconds) {
    std::ostringstream out;
    out << std::setprecision(3) << seconds << " s";
    return out.str();
}

std::string cut_line(const PipeTraffic& cut, std::int64_t steps, double seconds) {
    std::ostringstream line;
    line << std::setprecision(3) << "pipe " << index(cut.from) << " -> " << index(cut.to) << ": "
         << static_cast<double>(cut.bytes) / 1e6 / static_cast<double>(steps)
         << " MB a step, waited for " << 100 * cut.waited_s / seconds << " % of the time";
    return line.str();
}

}  // namespace

// Only time and bubble of the first step are left out, in which libraries choose their kernels.
void Summary::add(const report::StepRecord& record) {
    if (steps_++ == 0) return;
    step_s_.push_back(record.seconds);
    bubbles_ += record.bubble_share;
}

std::optional<double> Summary::typical_seconds(std::int64_t steps) const {
    if (std::ssize(step_s_) != steps) return std::nullopt;
    return median(step_s_);
}

std::vector<std::string> Summary::lines(const StepRunner& runner, const RunState& state,
                                        double seconds) const {
    std::vector<std::string> lines{tiles_line(runner, seconds)};
    if (steps_ == 0) return lines;
    const auto add = [&](std::vector<std::string> more) {
        lines.insert(lines.end(), more.begin(), more.end());
    };
    if (runner.transport() != nullptr) add(cut_lines(*runner.transport(), seconds));
    add(plan_lines(runner, state));
    return lines;
}

std::string Summary::tiles_line(const StepRunner& runner, double seconds) const {
    const auto tiles = static_cast<double>(steps_ * run_.configuration.problem.batch);
    std::ostringstream line;
    line << std::setprecision(3) << steps_ << " steps in " << seconds << " s, " << tiles / seconds
         << " tiles/s, waited " << run_.mesh.world().max(runner.waited_for_tiles())
         << " s for tiles";
    return line.str();
}

std::vector<std::string> Summary::cut_lines(const comm::PointToPoint& transport,
                                            double seconds) const {
    std::vector<std::string> lines;
    for (const PipeTraffic& cut : traffic_of_cuts(run_.mesh, transport))
        lines.push_back(cut_line(cut, steps_, seconds));
    return lines;
}

std::vector<std::string> Summary::plan_lines(const StepRunner& runner,
                                             const RunState& state) const {
    const comm::Communicator& world = run_.mesh.world();
    const auto most = [&](std::int64_t bytes) { return megabytes(world.max(bytes)); };
    const auto here = static_cast<std::size_t>(run_.mesh.coordinate().pipe());
    const planner::RankMemory& memory = run_.plan.memory.at(here);
    const std::int64_t nets = state.models().bytes() + runner.peak_gathered_bytes();
    std::vector<std::string> lines{row("", "planned", "measured")};
    if (!step_s_.empty()) {
        lines.push_back(
            row("step", seconds_of(run_.plan.seconds_of_step()), seconds_of(median(step_s_))));
        if (runner.transport() != nullptr)
            lines.push_back(row("bubble", percent(run_.plan.step.bubble()),
                                percent(bubbles_ / static_cast<double>(step_s_.size()))));
    }
    const auto compare = [&](const char* what, std::int64_t planned, std::int64_t measured) {
        const std::string first = most(planned);
        lines.push_back(row(what, first, most(measured)));
    };
    compare("weights, moments, sums", memory.nets.sum(), nets);
    if (run_.plan.layout.offload == Offload::disk)
        compare("on a disk", memory.nets.offloaded, state.models().offloaded_bytes());
    compare("saved activations", memory.activations, runner.peak_bytes());
    compare("resident memory", memory.sum(), environment::most_resident_bytes());
    return lines;
}

}  // namespace civitas::train
