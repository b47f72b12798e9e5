#include "trainer.hpp"

#include "civitas/steps/held_bytes.hpp"
#include "civitas/steps/samples.hpp"
#include "civitas/steps/test_scores.hpp"
#include "history.hpp"

#include "civitas/base/hash.hpp"
#include "civitas/base/process.hpp"
#include "civitas/base/text.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/io/files.hpp"
#include "civitas/profiling/profile.hpp"
#include "civitas/report/test_scores.hpp"
#include "civitas/train/train.hpp"

#include <algorithm>
#include <cmath>

namespace civitas::train {
namespace {

std::int64_t tiles_of(const steps::Run& run) {
    return std::ssize(run.store.rows(data::Split::train));
}

/// Where --batch has changed on the way, --epochs are counted by what has been seen.
std::int64_t steps_of(const steps::Run& run, const runs::RunState& state) {
    const std::int64_t tiles = tiles_of(run);
    const planner::RunOptions& run_options = run.configuration.run_options;
    const std::int64_t batch = run.configuration.problem.batch;
    const tasks::SamplesSeen seen = state.samples_seen();
    const std::int64_t done = index(seen.after);
    if (run_options.epochs == 0 || seen.count == done * batch)
        return planner::total_steps(run_options, run.configuration.problem, tiles);
    const double left =
        run_options.epochs * static_cast<double>(tiles) - static_cast<double>(seen.count);
    const double batches = std::ceil(left / static_cast<double>(batch));
    return done + std::max(std::int64_t{0}, static_cast<std::int64_t>(batches));
}

/// True in the last step and in every n-th, when n is not 0.
bool due(std::int64_t step, std::int64_t every, std::int64_t last) {
    return step == last || (every > 0 && step % every == 0);
}

}  // namespace

Trainer::Trainer(const steps::Run& run, runs::RunState& state, StopSignals& signals, Course& course,
                 tasks::Poster* poster)
    : run_(run),
      state_(state),
      signals_(signals),
      course_(course),
      poster_(poster),
      epochs_(tiles_of(run), run.configuration.problem.batch, state.samples_seen()),
      steps_(steps_of(run, state)),
      first_(state.steps_done()),
      runner_(run, state, poster),
      summary_(run) {
    begin_history(run, state);
    open_metrics();
}

void Trainer::open_metrics() {
    comm::on_root(run_.mesh.world(), [&] {
        metrics_.emplace(run_.folder.metrics(), state_.steps_done());
        if (metrics_->unreadable() > 0)
            run_.log.warn(text(run_.folder.metrics(), ": ", metrics_->unreadable(),
                               " lines that cannot be read are left out"));
    });
}

void Trainer::attempt(const std::function<void()>& work) {
    try {
        if (run_.is_root()) work();
    } catch (...) {
        if (!trouble_) trouble_ = std::current_exception();
    }
}

std::int64_t Trainer::next_stop() const {
    const std::int64_t done = state_.steps_done();
    const planner::RunOptions& run_options = run_.configuration.run_options;
    std::int64_t stop = steps_;
    const bool sheets = run_.configuration.problem.task() == TaskKind::gan;
    for (const std::int64_t every :
         {run_options.checkpoint_every, sheets ? run_options.sample_every : 0})
        if (every > 0) stop = std::min(stop, (done / every + 1) * every);
    if (!sheets && run_options.sample_every > 0) stop = std::min(stop, epochs_.next_end(done));
    return stop;
}

bool Trainer::is_looked_at(std::int64_t step) const {
    const std::int64_t every = run_.configuration.run_options.sample_every;
    if (run_.configuration.problem.task() == TaskKind::gan) return due(step, every, steps_);
    return step == steps_ || (every > 0 && step > 0 && epochs_.end_in(step));
}

void Trainer::complete(report::StepRecord& r) {
    const double seconds = report::seconds_of_a_step(r);
    smooth_seconds_ = smooth_seconds_ == 0 ? seconds : 0.9 * smooth_seconds_ + 0.1 * seconds;
    r.steps = steps_;
    if (r.time == 0) r.time = seconds_since_1970();
    r.epoch = epochs_.after(r.step);
    r.seconds_left = smooth_seconds_ * static_cast<double>(steps_ - r.step);
    r.tells_of_nodes = run_.is_of_one_mesh();
    // A step holds as much as any other.
    if (r.step == first_ + 1)
        r.held = report::most_by_name(
            run_.mesh.world().all_gather(steps::counted_bytes(run_, runner_, state_)),
            run_.model.nodes());
}

tasks::BetweenSteps Trainer::advance() {
    return course_.advance(runner_, next_stop(),
                           {.next = [this] { return until_next_step(); },
                            .ended =
                                [this](report::StepRecord record) {
                                    complete(record);
                                    report(record);
                                }});
}

void Trainer::report(const report::StepRecord& record) {
    summary_.add(record);
    attempt([&] {
        unwritten_.push_back(record);
        write_lines();
    });
    constexpr std::int64_t enough_to_judge = 7;
    const auto seconds = summary_.typical_seconds(enough_to_judge);
    if (seconds)
        attempt([&] {
            profiling::doubt_profile(run_.folder.profile(), run_.plan.seconds_of_step(), *seconds,
                                     run_.log);
        });
    const std::int64_t since = record.step - first_;
    if (since <= 5 || record.step % 10 == 0 || record.step == steps_)
        run_.log.info(report::to_line(record));
}

void Trainer::write_lines() {
    for (; !unwritten_.empty(); unwritten_.pop_front()) metrics_->append(unwritten_.front());
}

// The lines of a step are on the disk before its checkpoint is.
void Trainer::keep_lines() {
    attempt([&] {
        write_lines();
        metrics_->sync();
    });
}

void Trainer::save_now() {
    const tasks::AtWork saving(poster_, tasks::Work::saving);
    keep_lines();
    state_.save(run_.folder, run_.log);
}

void Trainer::save() {
    const tasks::AtWork saving(poster_, tasks::Work::saving);
    since_save_.restart();
    const bool async =
        run_.configuration.run_options.checkpoint_mode == planner::CheckpointMode::async;
    if (!async || state_.steps_done() == steps_) return save_now();
    keep_lines();
    state_.begin_save(run_.folder, run_.log);
}

void Trainer::draw() {
    const tasks::AtWork drawing(poster_, tasks::Work::drawing);
    if (run_.configuration.problem.task() == TaskKind::gan)
        steps::keep_samples(run_, state_);
    else
        steps::keep_test_scores(run_, state_);
}

bool Trainer::keep_files(const tasks::BetweenSteps& agreed) {
    const planner::RunOptions& run_options = run_.configuration.run_options;
    const std::int64_t step = state_.steps_done();
    if (state_.save_on_its_way() && agreed.writing_is_done) {
        const tasks::AtWork saving(poster_, tasks::Work::saving);
        state_.advance_save(run_.folder, run_.log);
    }
    const bool saves = agreed.save_is_due || due(step, run_options.checkpoint_every, steps_);
    const bool draws = is_looked_at(step);
    if (saves) save();
    if (draws) draw();
    runner_.keep_trace();
    return saves || draws;
}

tasks::BetweenSteps Trainer::until_next_step() {
    const double minutes = run_.configuration.run_options.checkpoint_minutes;
    return {.wish = wish(state_.steps_done() + 1),
            .save_is_due = run_.is_root() && minutes > 0 && since_save_.seconds() > 60 * minutes,
            .writing_is_done = state_.save_done_here()};
}

tasks::Wish Trainer::wish(std::int64_t done) {
    const double minutes = run_.configuration.run_options.max_minutes;
    attempt([&] { metrics_->make_room(); });
    const bool late = minutes > 0 && seconds_since_process_start() > 60 * minutes;
    if (trouble_) return tasks::Wish::end_with_error;
    const bool joined = ends_epoch(done) && signals_.requested_after_epoch();
    return signals_.requested() || late || joined ? tasks::Wish::stop : tasks::Wish::go_on;
}

tasks::Wish Trainer::agreed_wish() {
    const tasks::Wish mine = wish(state_.steps_done());
    return static_cast<tasks::Wish>(run_.mesh.world().max(static_cast<std::int64_t>(mine)));
}

bool Trainer::is_to_stop(tasks::Wish granted) const {
    if (granted == tasks::Wish::end_with_error)
        comm::require_agreement(run_.mesh.world(), trouble_);
    return granted == tasks::Wish::stop;
}

Exit Trainer::run_all() {
    try {
        return run_course();
    } catch (const AgreedError&) {
        save_what_is_whole();
        throw;
    }
}

void Trainer::try_to_save(const std::string& what, const std::function<void()>& save) {
    try {
        save();
    } catch (const AgreedError& e) {
        if (run_.is_root()) run_.log.warn(text(what, " could not be saved: ", e.what()));
    }
}

void Trainer::save_what_is_whole() {
    const tasks::AtWork saving(poster_, tasks::Work::saving);
    try_to_save("an earlier step", [&] { state_.finish_save(run_.folder, run_.log); });
    const bool learnt = state_.steps_done() > first_;
    if (!run_.mesh.world().all(learnt && course_.state_is_whole(runner_) && !state_.save_tried()))
        return;
    try_to_save(text("step ", state_.steps_done()), [&] { save_now(); });
}

void Trainer::make_good() {
    const std::int64_t step = state_.steps_done();
    if (!state_.resumed() || !is_looked_at(step)) return;
    const bool sheets = run_.configuration.problem.task() == TaskKind::gan;
    const bool missing = comm::agree(run_.mesh.world(), [&] {
        return run_.is_root() && !(sheets ? std::filesystem::exists(run_.folder.sample(step))
                                          : report::has_line(run_.folder.test_scores(), step));
    });
    if (run_.mesh.world().any(missing)) draw();
}

Exit Trainer::run_course() {
    make_good();
    if (first_ >= steps_)
        run_.log.info(text("nothing left to do: step ", first_, " is made, ", steps_,
                           " are asked for. Hint: a larger --steps or --epochs."));
    const auto left = [&] { return state_.steps_done() < steps_; };
    bool stopped = left() && is_to_stop(agreed_wish());
    while (left() && !stopped) {
        const tasks::BetweenSteps next = advance();
        const bool took_long = keep_files(next);
        const bool asks_again = took_long && next.wish == tasks::Wish::go_on;
        if (left()) stopped = is_to_stop(asks_again ? agreed_wish() : next.wish);
    }
    return conclude(stopped);
}

Exit Trainer::conclude(bool stopped) {
    const tasks::AtWork ending(poster_, tasks::Work::ending);
    save_now();
    runner_.finish_trace();
    comm::require_agreement(run_.mesh.world(), trouble_);
    if (stopped) course_.confirm_stop();
    comm::agree(run_.mesh.world(), [&] {
        if (stopped && run_.is_root())
            io::write_text_file(run_.folder.stopped(), text(state_.steps_done(), '\n'));
    });
    const std::uint64_t fingerprint = state_.fingerprint();
    const auto lines = summary_.lines(runner_, state_, since_start_.seconds());
    run_.log.info(text(stopped ? "stopped on request" : "done", ": step ", state_.steps_done(),
                       " of ", steps_));
    for (const std::string& line : lines) run_.log.info(line);
    run_.log.info("fingerprint " + hex(fingerprint));
    return stopped ? Exit::stopped : Exit::done;
}

}  // namespace civitas::train
