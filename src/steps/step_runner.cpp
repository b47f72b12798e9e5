#include "civitas/steps/step_runner.hpp"

#include "cuts.hpp"
#include "pass_launch.hpp"

#include "civitas/base/clock.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/environment/devices.hpp"
#include "civitas/environment/machine.hpp"
#include "civitas/planner/rank_memory.hpp"
#include "civitas/planner/workload.hpp"
#include "civitas/profiling/rates.hpp"
#include "civitas/tasks/pipe_view.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>

namespace civitas::steps {
namespace {

/// Micro-batches that are read before they are asked for. A GPU asks for all of a step at once,
/// `own` of them.
int micro_batches_ahead(const Run& run, const MicroBatchShare& own) {
    const int usual = run.plan.layout.replicas * planner::micro_batches_ahead;
    return run.process.device.is_cuda() ? std::max(usual, static_cast<int>(own.count())) : usual;
}

data::LoaderOptions loader_options(const Run& run, const MicroBatchShare& own) {
    const planner::Problem& problem = run.configuration.problem;
    return {.seed = Seed{problem.seed},
            .coding = problem.coding(),
            .net_pixels = problem.nets.pixels(),
            .micro_batch = problem.micro_batch,
            .threads = run.plan.layout.replicas,
            .ahead = micro_batches_ahead(run, own),
            .pinned = run.process.device.is_cuda()};
}

/// First sample of the i-th micro-batch that this rank needs from now on, when `done` samples have
/// been seen.
std::function<Sample(std::int64_t)> sample_order(const planner::Problem& problem,
                                                 const MicroBatchShare& own, int replicas,
                                                 std::int64_t done) {
    const ReplicaParts parts(own.count(), replicas);
    return [=](std::int64_t i) {
        const std::int64_t batches = i / own.count();
        const MicroBatch micro = own.global(parts.in_turn(i % own.count()));
        return Sample{done + batches * problem.batch + index(micro) * problem.micro_batch};
    };
}

MicroBatchShare own_micro_batches(const Run& run) {
    if (run.parts > 1)
        return {run.configuration.problem.micro_batches(), 0, static_cast<int>(run.parts)};
    return civitas::own_micro_batches(run.configuration.problem.micro_batches(), run.mesh.shape(),
                                      run.mesh.coordinate(), sharing_of(run.plan.layout.shard));
}

planner::Workload workload_of(const Run& run) {
    return planner::workload_of(run.configuration.problem, run.configuration.hyperparameters);
}

tasks::StepShare share_for(const Run& run, const runs::RunState& state) {
    const planner::Configuration& c = run.configuration;
    const MicroBatchShare own = own_micro_batches(run);
    return {.workload = workload_of(run),
            .objective = run.objective,
            .seed = Seed{c.problem.seed},
            .micro_batches = own,
            .of_mesh = run.parts > 1 ? own.count() : 0,
            .samples = state.samples_seen(),
            .device = run.process.device,
            .replica_devices = run.process.replica_devices,
            .steps_follow = c.update.kind == UpdateKind::sync};
}

tasks::ModelParts parts_of(const Run& run, runs::RunState& state, const gpu::MakeGraph& graphs) {
    tasks::ModelParts parts = tasks::parts_of(state.models(), run.mesh);
    parts.graphs = graphs;
    return parts;
}

}  // namespace

StepRunner::StepRunner(const Run& run, runs::RunState& state, tasks::Poster* poster)
    : run_(run),
      state_(state),
      poster_(poster),
      own_(own_micro_batches(run)),
      launch_(std::make_unique<PassLaunch>(run)),
      steps_(run.mesh, run.plan.layout, share_for(run, state), state.models(),
             parts_of(run, state, launch_->graphs()), [this] { return next_tiles(); }),
      flops_(workload_of(run).flops()),
      peak_flops_(static_cast<double>(
          run.mesh.world().sum(run.plan.layout.replicas *
                               static_cast<std::int64_t>(profiling::measured_peak(
                                   run.configuration.problem.precision, run.process.device))))) {
    comm::agree(run.mesh.world(), [&] { read_from(state.steps_done()); });
    if (!run.configuration.run_options.trace.empty())
        tracer_.emplace(run.configuration.run_options.trace,
                        io::replace_if(run.configuration.run_options.overwrite), run.mesh,
                        run.plan.layout);
}

StepRunner::~StepRunner() = default;

void StepRunner::read_from(std::int64_t step) {
    if (!tasks::reads_tiles(run_.mesh, run_.plan.layout, workload_of(run_))) return;
    const data::LoaderOptions options = loader_options(run_, own_);
    if (makes_all_steps())
        loader_.emplace(run_.store, options, samples_from(step));
    else if (!loader_)
        loader_.emplace(run_.store, options);
    else
        expect(std::array{step});
}

std::function<Sample(std::int64_t)> StepRunner::samples_from(std::int64_t step) const {
    const planner::Problem& problem = run_.configuration.problem;
    return sample_order(problem, own_, run_.plan.layout.replicas,
                        state_.samples_seen().before(StepIndex{step}, problem.batch));
}

void StepRunner::expect(std::span<const std::int64_t> steps) {
    wanted_.clear();
    for (const std::int64_t step : steps)
        for (std::int64_t i = 0; i < own_.count(); ++i) wanted_.push_back(samples_from(step)(i));
    expect_wanted();
}

void StepRunner::expect_wanted() {
    const auto ahead =
        std::min<std::ptrdiff_t>(std::ssize(wanted_), micro_batches_ahead(run_, own_));
    loader_->expect(std::vector(wanted_.begin(), wanted_.begin() + ahead));
}

at::Tensor StepRunner::next_tiles() {
    if (makes_all_steps()) return loader_->next();
    const Sample first = wanted_.front();
    wanted_.pop_front();
    at::Tensor x_BCHW = loader_->take(first);
    expect_wanted();
    return x_BCHW;
}

void StepRunner::run_table() {
    const StepIndex step{state_.steps_done()};
    parallel::Recording* const recording = tracer_ ? tracer_->begin_step() : nullptr;
    steps_.task().record_to(recording == nullptr ? nullptr : &recording->timeline);
    parallel::ActionObservers observers;
    std::optional<parallel::Recorder> recorder;
    if (recording != nullptr) observers.add(recorder.emplace(*recording));
    if (poster_ != nullptr) {
        poster_->begin_step(step);
        observers.add(*poster_);
    }
    try {
        steps_.run(step, &observers, launch_->next(recording != nullptr));
        if (poster_ != nullptr) (void)poster_->begin_work(tasks::Work::between);
    } catch (const tasks::NonFiniteGradient& bad) {
        throw tasks::NonFiniteGradient(bad.net(), state_.models(), first_bad_leaf(bad), step);
    }
}

// The sums have swallowed the leaves. Tiles, noise and weights are those of the failed step, so its
// table, run once more without updates, makes the same leaves; and nothing is paid for it in good
// steps.
std::string StepRunner::first_bad_leaf(const tasks::NonFiniteGradient& bad) {
    const tasks::AtWork searching(poster_, tasks::Work::searching);
    optim::ModelState& net = state_.models()[bad.net()];
    for (const auto& each : state_.models().all())
        each->updater().watch();  // and begin no sums that nobody takes
    read_from(state_.steps_done());
    steps_.run_leaves(StepIndex{state_.steps_done()});
    try {
        steps_.task().require_read_tiles();
    } catch (const AgreedError& unread) {
        return text(bad.parameter(), " (in which micro-batch is not known: ", unread.what(), ")");
    }
    const schedule::StepGraph& graph = run_.plan.layout.schedule.graph;
    std::vector<std::string> passes;
    for (const schedule::PassId pass : graph.trained_by(bad.net()))
        passes.push_back(graph[pass].name);
    return tasks::first_of_all(run_.mesh.world(), passes, net.updater().first_bad_leaf(), own_)
        .value_or(bad.parameter() + ", a sum of finite ones,");
}

// A slow rank serves others between its layers, so this one does while it waits.
void StepRunner::delay() {
    const auto& delays = run_.configuration.update.delays;
    const auto mine = delays.find(index(run_.ranks.rank()));
    if (mine == delays.end()) return;
    constexpr std::chrono::milliseconds between{1};
    for (const Stopwatch watch; watch.seconds() < mine->second;) {
        for (const auto& net : state_.models().all()) net->updater().progress();
        std::this_thread::sleep_for(between);
    }
}

tasks::StepResult StepRunner::run_step(const Next& next, double refreshed_s) {
    const Stopwatch watch;
    const TrafficMeter meter(run_.mesh, transport());
    try {
        delay();
        run_table();
        tasks::RankReport mine{
            .next = next(),
            .arrived_s = refreshed_s + watch.seconds(),
            .communication_s = refreshed_s + steps_.task().communication_seconds(),
            .waited_s = steps_.replicas().waited() + steps_.task().synchronisation_seconds(),
            .bytes = memory_.bytes()};
        meter.add_to(mine);
        return steps_.task().finish(mine, meter.traffic());
    } catch (const AgreedError& error) {
        steps_.drain_after(error);
        throw;
    }
}

StepEnd StepRunner::step(const Next& next) { return step_after(0, next); }

StepEnd StepRunner::step_after(double refreshed_s, const Next& next) {
    const tasks::StepResult result = run_step(next, refreshed_s);
    state_.step_done();
    if (tracer_) tracer_->step_done();
    return {record_of(result), result.reports.next()};
}

StepEnd StepRunner::step_at(std::int64_t done, const Next& next) {
    const Stopwatch watch;
    state_.go_to(done);
    for (const auto& net : state_.models().all()) net->refresh();
    return step_after(watch.seconds(), next);
}

PartEnd StepRunner::make_part(std::int64_t done, const MicroBatchShare& part, const Next& next) {
    // While this waits for weights, another part may be made.
    for (const auto& net : state_.models().all()) net->refresh();
    state_.go_to(done);
    own_ = part;
    steps_.task().make(part);
    expect(std::array{done, done + 1});
    const tasks::StepResult result = run_step(next);
    const tasks::RankReport& mine = result.reports.ranks.front();
    return {result.reports.figures, mine.bytes, mine.next.wish};
}

report::StepRecord StepRunner::like() const {
    report::StepRecord r;
    r.values = steps_.task().values_of_nothing();
    r.tiles = run_.configuration.problem.batch;
    r.flops = flops_;
    r.peak_flops = peak_flops_;
    return r;
}

report::StepRecord StepRunner::record_of(const tasks::StepResult& result) const {
    report::StepRecord r = like();
    r.step = state_.steps_done();
    r.values = result.values;
    r.seconds = result.reports.seconds();
    std::vector<report::RankFigures> ranks;
    for (const tasks::RankReport& rank : result.reports.ranks) {
        const double waited = rank.waited_s + r.seconds - rank.arrived_s;
        report::RankFigures& figures = ranks.emplace_back();
        figures.bytes = rank.bytes;
        figures.communication_share = rank.communication_s / r.seconds;
        // Along a pipe, who waits for the others is idle by the schedule.
        (transport() != nullptr ? figures.bubble_share : figures.communication_share) +=
            waited / r.seconds;
    }
    report::add_ranks(r, ranks);
    r.cuts = cuts_of(result.reports.traffic, run_.mesh.shape());
    return r;
}

void StepRunner::keep_trace() {
    const tasks::AtWork writing(tracer_ ? poster_ : nullptr, tasks::Work::writing_trace);
    if (tracer_) tracer_->write_when_done();
}

void StepRunner::finish_trace() {
    if (tracer_) tracer_->finish();
}

}  // namespace civitas::steps
