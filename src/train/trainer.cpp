#include "trainer.hpp"

#include "profile.hpp"
#include "samples.hpp"

#include "civitas/base/hash.hpp"
#include "civitas/base/text.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/io/files.hpp"

namespace civitas::train {
namespace {

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
      stepper_(run, state),
      summary_(run) {
    if (run.is_root()) metrics_.emplace(run.folder.metrics(), state.steps_done());
}

report::StepRecord Trainer::one_step() {
    report::StepRecord r = stepper_.step();
    smooth_seconds_ = smooth_seconds_ == 0 ? r.seconds : 0.9 * smooth_seconds_ + 0.1 * r.seconds;
    r.steps = steps_;
    r.seconds_left = smooth_seconds_ * static_cast<double>(steps_ - r.step);
    return r;
}

void Trainer::report(const report::StepRecord& record) {
    summary_.add(record);
    if (metrics_) metrics_->append(record);
    constexpr std::int64_t enough_to_judge = 7;
    if (const auto seconds = summary_.typical_seconds(enough_to_judge); seconds && run_.is_root())
        doubt_profile(run_.folder, run_.plan.seconds_of_step(), *seconds, run_.log);
    const std::int64_t since = record.step - first_;
    if (since <= 5 || record.step % 10 == 0 || record.step == steps_)
        run_.log.say(report::to_line(record));
}

void Trainer::keep_files() {
    const Course& course = run_.configuration.course;
    const std::int64_t step = state_.steps_done();
    if (due(step, course.checkpoint_every, steps_)) state_.save(run_.folder, run_.log);
    if (due(step, course.sample_every, steps_)) keep_samples(run_, state_);
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

comm::Exit Trainer::conclude(bool stopped) {
    state_.save(run_.folder, run_.log);
    stepper_.finish_trace();
    comm::agree(run_.mesh.world(), [&] {
        if (stopped && run_.is_root())
            io::write_text_file(run_.folder.stopped(), text(state_.steps_done(), '\n'));
    });
    const std::uint64_t fingerprint = state_.fingerprint();
    const auto lines = summary_.lines(stepper_, state_, since_start_.seconds());
    run_.log.say(text(stopped ? "stopped on request" : "done", ": step ", state_.steps_done(),
                      " of ", steps_));
    for (const std::string& line : lines) run_.log.say(line);
    run_.log.say("fingerprint " + hex(fingerprint));
    return stopped ? comm::Exit::stopped : comm::Exit::done;
}

}  // namespace civitas::train
