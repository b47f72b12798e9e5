#pragma once
/// A training run from start to end.
#include "diagnosis.hpp"
#include "run_folder.hpp"
#include "setting.hpp"
#include "state.hpp"
#include "step.hpp"
#include "tracing.hpp"

#include "civitas/base/clock.hpp"
#include "civitas/base/log.hpp"
#include "civitas/base/signals.hpp"
#include "civitas/comm/session.hpp"
#include "civitas/report/step.hpp"

#include <optional>

namespace civitas::train {

/// What a run is made of, opened and agreed on by all ranks.
struct Run {
    const Configuration& configuration;
    const Setting& setting;
    const comm::Mesh& mesh;
    const RunFolder& folder;
    const data::TileStore& store;
    Log& log;
    [[nodiscard]] bool is_root() const { return mesh.world().is_root(); }
};

/// Takes a state from the step it has reached to the last.
class Trainer {
public:
    Trainer(const Run& run, RunState& state, StopSignals& signals);

    /// Collective. Returns `stopped` when a signal or --max-minutes ended the run early.
    [[nodiscard]] comm::Exit run_all();

private:
    [[nodiscard]] report::StepRecord one_step();
    /// The table of one step. Throws NonFiniteGradient saying pass and micro-batch.
    void run_table();
    [[nodiscard]] std::string first_bad_leaf(const NonFiniteGradient& bad,
                                             const std::vector<parallel::Action>& table);
    /// Begin to prefetch the tiles of this step and those after it.
    void read_from(std::int64_t step);
    [[nodiscard]] double mean_share(double seconds, double of) const;
    void report(const report::StepRecord& record);
    void keep_files();
    void keep_samples();
    /// Collective along the pipe axis.
    [[nodiscard]] at::Tensor draw_samples() const;
    [[nodiscard]] parallel::Pipeline pipeline();
    [[nodiscard]] bool stop_requested();
    void report_cuts(std::int64_t steps);
    void report_activations();
    [[nodiscard]] comm::Exit conclude(bool stopped);

    const Run& run_;
    RunState& state_;
    StopSignals& signals_;
    std::int64_t steps_;                    ///< of the whole run
    std::int64_t first_;                    ///< steps done before this start
    std::optional<data::Loader> loader_;    ///< where D's first stage is
    std::optional<comm::Mailbox> mailbox_;  ///< with more than one pipe coordinate
    TrainingStep step_;
    parallel::Executor executor_;
    std::optional<Tracer> tracer_;
    std::optional<report::MetricsFile> metrics_;  ///< root only
    double flops_;
    double peak_flops_;
    double smooth_seconds_ = 0;
    Stopwatch since_start_;
};

/// The whole of `civitas train`. Collective.
[[nodiscard]] comm::Exit train(const comm::Communicator& world, const Configuration& configuration,
                               StopSignals& signals, Log& log);

}  // namespace civitas::train
