#include "summary.hpp"

#include "announce.hpp"
#include "plan.hpp"

#include "civitas/base/text.hpp"

#include <iomanip>
#include <sstream>

namespace civitas::train {
namespace {

std::string cut_line(const PipeTraffic& cut, std::int64_t steps, double seconds) {
    std::ostringstream line;
    line << std::setprecision(3) << "pipe " << cut.from << " -> " << cut.to << ": "
         << static_cast<double>(cut.bytes) / 1e6 / static_cast<double>(steps)
         << " MB a step, waited for " << 100 * cut.waited_s / seconds << " % of the time";
    return line.str();
}

}  // namespace

void Summary::add(const report::StepRecord& /*record*/) { ++steps_; }

std::vector<std::string> Summary::lines(const Stepper& stepper, double seconds) const {
    std::vector<std::string> lines{tiles_line(stepper, seconds)};
    if (steps_ == 0 || stepper.mailbox() == nullptr) return lines;
    for (auto& line : cut_lines(*stepper.mailbox(), seconds)) lines.push_back(std::move(line));
    if (run_.setting.mesh.tensor == 1) lines.push_back(activations_line(stepper));
    return lines;
}

std::string Summary::tiles_line(const Stepper& stepper, double seconds) const {
    const auto tiles = static_cast<double>(steps_ * run_.configuration.task.batch);
    std::ostringstream line;
    line << std::setprecision(3) << steps_ << " steps in " << seconds << " s, " << tiles / seconds
         << " tiles/s, waited " << run_.mesh.world().max(stepper.waited_for_tiles())
         << " s for tiles";
    return line.str();
}

std::vector<std::string> Summary::cut_lines(const comm::Mailbox& mailbox, double seconds) const {
    std::vector<std::string> lines;
    for (const PipeTraffic& cut : traffic_of_cuts(run_.mesh, mailbox))
        lines.push_back(cut_line(cut, steps_, seconds));
    return lines;
}

/// What the plan's formulas say beside what the executor counted, of the rank that keeps most.
std::string Summary::activations_line(const Stepper& stepper) const {
    const auto most = [&](std::int64_t bytes) {
        return megabytes(
            static_cast<std::int64_t>(run_.mesh.world().max(static_cast<double>(bytes))));
    };
    const auto planned =
        planned_activations(run_.configuration.task, run_.setting, run_.mesh.here().pipe);
    return text("saved activations of a rank: planned ", most(planned), ", measured ",
                most(stepper.peak_bytes()));
}

}  // namespace civitas::train
