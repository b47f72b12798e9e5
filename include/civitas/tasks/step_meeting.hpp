#pragma once
/// Where all ranks meet at the end of a step, in one collective: what each of them tells, and the
/// figures of all micro-batches.
#include "civitas/comm/mesh.hpp"
#include "civitas/planner/execution_layout.hpp"

#include <span>
#include <type_traits>
#include <vector>

namespace civitas::tasks {

/// What keeps a step from being a good one, the worst last. Not finite is a loss, or what a rank
/// has added up.
enum class Trouble : std::int64_t { none, not_finite, failed };
/// What is to come after a step; of the ranks' wishes the last one listed here is granted.
enum class Wish : std::int64_t { go_on, stop, end_with_error };

/// What a rank has to say of the time until the next step, and what follows from all ranks' words.
struct BetweenSteps {
    Wish wish = Wish::go_on;      ///< the last of the ranks' wishes
    bool save_is_due = false;     ///< a checkpoint is to be written: any rank says so
    bool writing_is_done = true;  ///< of what it writes in the background: all ranks say so
};

/// What a rank sent in a step to another place on its pipe, and waited for from there.
struct PipeTraffic {
    std::int64_t bytes_sent = 0;
    double waited_s = 0;
};

/// What a rank tells at the end of a step.
struct RankReport {
    Trouble trouble = Trouble::none;
    BetweenSteps next = {};
    double arrived_s = 0;        ///< seconds since the step began when it came to the meeting
    double communication_s = 0;  ///< seconds of the step for sums and exchanges
    double waited_s = 0;         ///< seconds of the step, for pipe messages and to meet
    std::int64_t bytes = 0;      ///< resident memory now
};

static_assert(std::is_trivially_copyable_v<RankReport>, "a report travels as bytes");

/// Which ranks bring figures, and how many.
struct FiguresOfStep {
    PipeCoordinate pipe{};           ///< of the ranks that bring figures, with tensor = 0
    std::int64_t width = 0;          ///< figures of one micro-batch
    std::int64_t micro_batches = 0;  ///< of the whole step
    Sharing sharing = Sharing::contiguous;
};

/// What has been told, the same on all ranks.
struct StepReports {
    std::vector<RankReport> ranks;
    /// `width` numbers for each micro-batch of the step, in ascending order.
    std::vector<double> figures;
    std::vector<std::vector<PipeTraffic>> traffic;  ///< of each rank, by place on the pipe

    [[nodiscard]] Trouble worst() const;
    [[nodiscard]] BetweenSteps next() const;
    /// Seconds of the step, up to when the last rank came to the meeting.
    [[nodiscard]] double seconds() const;
};

class StepMeeting {
public:
    StepMeeting(const comm::Mesh& mesh, FiguresOfStep figures);

    /// Meets the other ranks: tells this rank's report, returns everybody's. `figures`: of this
    /// rank's micro-batches, in local order; only looked at where it brings some. Fewer than that
    /// are filled up with zeros, as is `traffic`, by place on the pipe. Collective over all ranks.
    [[nodiscard]] StepReports meet(const RankReport& mine, std::vector<double> figures,
                                   std::vector<PipeTraffic> traffic = {}) const;

private:
    [[nodiscard]] bool brings_figures(const Coordinate& at) const;
    [[nodiscard]] MicroBatchShare share_at(const Coordinate& at) const;
    [[nodiscard]] StepReports reports_of(std::span<const std::byte> told) const;

    const comm::Mesh& mesh_;
    FiguresOfStep figures_;
    std::size_t places_;        ///< on the pipe
    std::vector<Range> bytes_;  ///< that each rank tells, of all that is told
};

}  // namespace civitas::tasks
