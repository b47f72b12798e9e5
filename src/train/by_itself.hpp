#pragma once
/// Ranks that make steps, or parts of them, each by itself: what they open, and who leads them.
#include "civitas/steps/run.hpp"
#include "course.hpp"
#include "last_words.hpp"

#include "civitas/base/exit.hpp"
#include "civitas/base/signals.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace civitas::train {

/// The configuration of one rank of a job, with its part of its node.
[[nodiscard]] planner::Configuration configuration_by_itself(planner::Configuration asked,
                                                             const comm::Communicator& world);

/// Throws UsageError for what has no meaning where each rank computes by itself; `kind` begins the
/// message.
void refuse_what_needs_others(const std::string& kind, const comm::Communicator& world,
                              const planner::Configuration& asked);

/// What such a rank opens: each plans for itself, the first one holds the run folder.
class OpenedByItself {
public:
    /// `asked`: as configuration_by_itself() makes it; `opened`: the store, if it is open already.
    /// Collective; throws AgreedError.
    OpenedByItself(const comm::Communicator& world, planner::Configuration asked,
                   StopSignals& signals, Log& log, const data::TileStore* opened);

    [[nodiscard]] steps::Run run(std::int64_t parts = 1) const;
    /// A state like that of the others. Collective over ranks that share models.
    [[nodiscard]] runs::RunState state(std::vector<optim::SharedModel*> shared) const;
    /// The root takes up the checkpoint that the run goes on from, if there is one, and shares what
    /// is in it; the others go on as it does. Collective; throws AgreedError.
    void take_up(runs::RunState& state);
    [[nodiscard]] runs::HeldRunFolder& held() noexcept { return held_; }
    [[nodiscard]] const comm::Mesh& mesh() const noexcept { return mesh_; }

private:
    const comm::Communicator& world_;
    Log& log_;
    comm::Communicator self_;
    planner::Configuration configuration_;
    environment::Process process_;
    planner::CostModel estimate_;
    comm::Mesh mesh_;
    std::optional<data::TileStore> own_store_;
    const data::TileStore& store_;
    runs::HeldRunFolder held_;
    StopSignals::LastAct last_act_;
    std::optional<std::filesystem::path> from_;
    planner::CostModel costs_;
    planner::StepPlan plan_;
};

/// The root's way through a run, which the other ranks follow.
class LedCourse : public Course {
public:
    /// Tells `poster` of what goes on without a step of this rank; null: nobody.
    virtual void post_to(tasks::Poster* /*poster*/) {}
    /// On the root: lets the others go, with the end of the run.
    virtual void end(Exit how) = 0;
    /// On the root, after an error: lets the others go.
    virtual void end_by_error(const std::string& why) = 0;
    /// Whether that error came by way of others, and names its rank.
    [[nodiscard]] virtual bool is_error_of_job() const = 0;
    /// On the other ranks: does what the root asks for until it ends the run, and returns how.
    /// Throws AgreedError for an error of any rank.
    [[nodiscard]] virtual Exit follow(steps::StepRunner& runner,
                                      const std::function<tasks::BetweenSteps()>& next) = 0;
};

/// Whether a round is to end, since files are due, or one in the background is to get its name.
[[nodiscard]] bool files_are_due(const runs::RunState& state, const tasks::BetweenSteps& next);

/// Leads the run on the root, follows on other ranks.
[[nodiscard]] Exit train_led(OpenedByItself& opened, const steps::Run& run, runs::RunState& state,
                             StopSignals& signals, LedCourse& course);

}  // namespace civitas::train
