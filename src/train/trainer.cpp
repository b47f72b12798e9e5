#include "trainer.hpp"

#include "along.hpp"
#include "announce.hpp"
#include "drawing.hpp"
#include "machine.hpp"
#include "plan.hpp"

#include "civitas/base/hash.hpp"
#include "civitas/base/text.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/io/files.hpp"

#include <iomanip>

namespace civitas::train {
namespace {

constexpr int sheet_columns = 8;
constexpr std::int64_t sheet_plans = 64;
constexpr int sheet_tile_pixels = 96;

data::LoaderOptions loader_options(const Configuration& c) {
    return {.seed = Seed{c.task.seed},
            .coding = data::parse_coding(c.task.coding),
            .net_pixels = c.task.gan().pixels,
            .micro_batch = c.task.micro_batch};
}

/// First sample of this rank's i-th micro-batch from now on, when `done` steps have been made.
std::function<Sample(std::int64_t)> sample_order(const Task& task, Range micros,
                                                 std::int64_t done) {
    return [=](std::int64_t i) {
        const std::int64_t step = done + i / micros.count;
        const std::int64_t micro = micros.begin + i % micros.count;
        return Sample{step * task.batch + micro * task.micro_batch};
    };
}

StepShare share_for(const Run& run) {
    const Configuration& c = run.configuration;
    return {c.task, c.recipe,
            c.layout.reduction == "fast" ? parallel::Reduction::fast : parallel::Reduction::tree,
            own_micro_batches(c.task, run.mesh)};
}

bool holds_first_of_discriminator(const Run& run) {
    return run.setting.placement.coordinate_of(parallel::Net::discriminator, 0) ==
           run.mesh.here().pipe;
}

std::int64_t steps_of(const Run& run) {
    const auto tiles = static_cast<std::int64_t>(run.store.rows(data::Split::train).size());
    return total_steps(run.configuration.course, run.configuration.task, tiles);
}

/// True in the last step and in every n-th, when n is not 0.
bool due(std::int64_t step, std::int64_t every, std::int64_t last) {
    return step == last || (every > 0 && step % every == 0);
}

}  // namespace

Trainer::Trainer(const Run& run, RunState& state, StopSignals& signals)
    : run_(run),
      state_(state),
      signals_(signals),
      steps_(steps_of(run)),
      first_(state.steps_done()),
      step_(run.mesh, run.setting, share_for(run), state.generator(), state.discriminator(),
            [this] { return loader_->next(); }),
      executor_(state.generator().parts(), state.discriminator().parts(), step_, pipeline()),
      flops_(flops_of_step(run.configuration.task.gan(), run.configuration.task.batch)),
      peak_flops_(
          measured_peak(parse_precision(run.configuration.task.precision), run.setting.device) *
          run.mesh.world().size()) {
    read_from(state.steps_done());
    if (!run.configuration.course.trace.empty())
        tracer_.emplace(run.configuration.course.trace, run.mesh, run.setting);
    if (run.is_root()) metrics_.emplace(run.folder.metrics(), state.steps_done());
}

void Trainer::read_from(std::int64_t step) {
    if (!holds_first_of_discriminator(run_)) return;
    const Task& task = run_.configuration.task;
    loader_.emplace(run_.store, loader_options(run_.configuration),
                    sample_order(task, own_micro_batches(task, run_.mesh), step));
}

void Trainer::run_table() {
    const StepIndex step{state_.steps_done()};
    const auto& table =
        run_.setting.schedule.coordinates.at(static_cast<std::size_t>(run_.mesh.here().pipe));
    step_.begin(step);
    try {
        executor_.run(table, tracer_ ? tracer_->recording() : nullptr);
    } catch (const NonFiniteGradient& bad) {
        throw NonFiniteGradient(bad.net(), first_bad_leaf(bad, table), step);
    }
}

// The sums have swallowed the leaves. Tiles, noise and weights are those of the failed step, so its
// table, run once more without updates, makes the same leaves; and nothing is paid for it in good
// steps.
std::string Trainer::first_bad_leaf(const NonFiniteGradient& bad,
                                    const std::vector<parallel::Action>& table) {
    Net& net = bad.net() == parallel::Net::generator ? state_.generator() : state_.discriminator();
    net.leaves().watch();
    read_from(state_.steps_done());
    step_.begin(StepIndex{state_.steps_done()});
    executor_.run(leaves_only(table));
    return first_of_all(run_.mesh.world(), bad.net(), net.leaves().first_bad(),
                        own_micro_batches(run_.configuration.task, run_.mesh))
        .value_or(bad.parameter() + ", a sum of finite ones,");
}

parallel::Pipeline Trainer::pipeline() {
    const comm::Communicator& axis = run_.mesh.along(comm::Axis::pipe);
    if (axis.size() > 1) mailbox_.emplace(axis);
    return pipeline_of(run_.mesh, run_.setting, run_.configuration.task,
                       mailbox_ ? &*mailbox_ : nullptr);
}

/// Of all ranks; collective.
double Trainer::mean_share(double seconds, double of) const {
    const comm::Communicator& world = run_.mesh.world();
    const auto microseconds = static_cast<std::int64_t>(1e6 * seconds);
    return 1e-6 * static_cast<double>(world.sum(microseconds)) / (of * world.size());
}

report::StepRecord Trainer::one_step() {
    const Stopwatch watch;
    const double waited_before = mailbox_ ? mailbox_->waited() : 0;
    const auto exchanging = [this] {
        return state_.generator().exchange_seconds() + state_.discriminator().exchange_seconds();
    };
    const double exchanging_before = exchanging();
    run_table();
    const StepFigures figures = step_.finish();
    state_.step_done();
    if (tracer_) tracer_->step_done();
    const double seconds = watch.seconds();
    smooth_seconds_ = smooth_seconds_ == 0 ? seconds : 0.9 * smooth_seconds_ + 0.1 * seconds;
    report::StepRecord r;
    r.step = state_.steps_done();
    r.steps = steps_;
    r.d_loss = figures.d_loss;
    r.g_loss = figures.g_loss;
    r.d_real = figures.d_real;
    r.d_fake = figures.d_fake;
    r.seconds = seconds;
    r.tiles = run_.configuration.task.batch;
    r.flops = flops_;
    r.peak_flops = peak_flops_;
    r.communication_share =
        (step_.communication_seconds() + exchanging() - exchanging_before) / seconds;
    r.bubble_share = mailbox_ ? mean_share(mailbox_->waited() - waited_before, seconds) : 0;
    r.bytes = resident_bytes();
    r.seconds_left = smooth_seconds_ * static_cast<double>(steps_ - r.step);
    return r;
}

void Trainer::report(const report::StepRecord& record) {
    if (metrics_) metrics_->append(record);
    const std::int64_t since = record.step - first_;
    if (since <= 5 || record.step % 10 == 0 || record.step == steps_)
        run_.log.say(report::to_line(record));
}

void Trainer::keep_files() {
    const Course& course = run_.configuration.course;
    const std::int64_t step = state_.steps_done();
    if (due(step, course.checkpoint_every, steps_)) state_.save(run_.folder, run_.log);
    if (due(step, course.sample_every, steps_)) keep_samples();
}

void Trainer::keep_samples() {
    at::Tensor plans;
    if (run_.mesh.here().data == 0) plans = draw_samples();
    comm::agree(run_.mesh.world(), [&] {
        if (!run_.is_root()) return;
        const auto file = run_.folder.sample(state_.steps_done());
        io::write_png(file,
                      report::sheet_of_soft(soft_images(plans), sheet_columns, sheet_tile_pixels));
        run_.log.say("drew " + file.string());
    });
}

at::Tensor Trainer::draw_samples() const {
    const Task& task = run_.configuration.task;
    const auto gan = task.gan();
    const LatentOptions options{Seed{task.seed}, Purpose::sheet, gan.nz};
    const auto like = at::TensorOptions()
                          .dtype(master_type(parse_precision(task.precision)))
                          .device(run_.setting.device);
    const auto along =
        stages_along(run_.mesh, run_.setting, parallel::Net::generator, gan.generator);
    const auto stages = state_.generator().drawing_stages();
    const auto generator = [&](const at::Tensor& z) {
        return carry(along, z,
                     [&](int stage, const at::Tensor& x) { return stages.at(stage).evaluate(x); });
    };
    return draw_plans(generator, options, {0, sheet_plans}, like);
}

bool Trainer::stop_requested() {
    const double minutes = run_.configuration.course.max_minutes;
    const bool late = minutes > 0 && since_start_.seconds() > 60 * minutes;
    return run_.mesh.world().any(signals_.requested() || late);
}

comm::Exit Trainer::run_all() {
    if (first_ >= steps_)
        run_.log.say(text("nothing left to do: step ", first_, " is made, ", steps_,
                          " are asked for. Hint: a larger --steps or --epochs."));
    bool stopped = false;
    while (state_.steps_done() < steps_ && !(stopped = stop_requested())) {
        report(one_step());
        keep_files();
    }
    return conclude(stopped);
}

/// What the plan's formulas say beside what the executor counted, of the rank that keeps most.
void Trainer::report_activations() {
    if (run_.mesh.shape().tensor > 1) return;
    const auto most = [&](std::int64_t bytes) {
        return megabytes(
            static_cast<std::int64_t>(run_.mesh.world().max(static_cast<double>(bytes))));
    };
    const auto planned =
        planned_activations(run_.configuration.task, run_.setting, run_.mesh.here().pipe);
    run_.log.say(text("saved activations of a rank: planned ", most(planned), ", measured ",
                      most(executor_.peak_bytes())));
}

void Trainer::report_cuts(std::int64_t steps) {
    for (const PipeTraffic& cut : traffic_of_cuts(run_.mesh, *mailbox_)) {
        std::ostringstream line;
        line << std::setprecision(3) << "pipe " << cut.from << " -> " << cut.to << ": "
             << static_cast<double>(cut.bytes) / 1e6 / static_cast<double>(steps)
             << " MB a step, waited for " << 100 * cut.waited_s / since_start_.seconds()
             << " % of the time";
        run_.log.say(line.str());
    }
}

comm::Exit Trainer::conclude(bool stopped) {
    state_.save(run_.folder, run_.log);
    if (tracer_) tracer_->finish();
    comm::agree(run_.mesh.world(), [&] {
        if (stopped && run_.is_root())
            io::write_text_file(run_.folder.stopped(), text(state_.steps_done(), '\n'));
    });
    const std::int64_t made = state_.steps_done() - first_;
    const double tiles = static_cast<double>(made * run_.configuration.task.batch);
    const double waited = run_.mesh.world().max(loader_ ? loader_->waited() : 0);
    const std::uint64_t fingerprint = state_.fingerprint();
    std::ostringstream line;
    line << std::setprecision(3) << (stopped ? "stopped on request" : "done") << ": step "
         << state_.steps_done() << " of " << steps_ << ", " << since_start_.seconds() << " s, "
         << tiles / since_start_.seconds() << " tiles/s, waited " << waited << " s for tiles";
    run_.log.say(line.str());
    if (mailbox_ && made > 0) report_cuts(made);
    if (mailbox_ && made > 0) report_activations();
    run_.log.say("fingerprint " + hex(fingerprint));
    return stopped ? comm::Exit::stopped : comm::Exit::done;
}

}  // namespace civitas::train
