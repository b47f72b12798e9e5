#include "history.hpp"

#include "civitas/runs/held_run_folder.hpp"

#include "civitas/comm/agree.hpp"
#include "civitas/io/files.hpp"
#include "civitas/report/test_scores.hpp"

namespace civitas::train {
namespace {

/// A folder with metrics of steps that this run does not go on from: they are kept.
void keep_earlier_metrics(const steps::Run& run, const runs::RunState& state) {
    const auto* why = state.resumed() ? " goes on from a checkpoint of another folder: "
                                      : " was begun before, but holds no checkpoint to go on "
                                        "from: begun anew, ";
    for (const std::filesystem::path& name : runs::set_earlier_start_aside(run.folder))
        run.log.warn(text(run.folder.root, why, "what it held is kept as ", name));
}

/// Often the one that this start was given: a run begins with a text that somebody wrote there.
void keep_other_configuration(const steps::Run& run) {
    const auto name = runs::set_other_configuration_aside(run.folder, run.configuration.resolved);
    if (!name) return;
    run.log.info(
        text(run.folder.configuration(), " is kept as ", *name, ": the run's own takes its place"));
}

/// Of a course that was given up for an earlier file of the same folder. After a crash the same
/// lines and sheets are made again.
void keep_abandoned_course(const steps::Run& run, StepIndex last) {
    if (run.configuration.run_options.resume.from != planner::Resume::From::file) return;
    for (const std::filesystem::path& name : runs::set_later_samples_aside(run.folder, last))
        run.log.info(text("set aside as ", name.string()));
    for (const std::filesystem::path& file : {run.folder.metrics(), run.folder.test_scores()})
        if (const auto copy = report::copy_if_lines_from(file, index(last) + 1, ".abandoned"))
            run.log.info(text("kept as ", copy->string()));
}

/// What a reader of the run folder needs, and nothing left of an earlier stop.
void begin_files(const steps::Run& run, const runs::RunState& state) {
    comm::on_root(run.mesh.world(), [&] {
        if (state.goes_on()) {
            keep_abandoned_course(run, StepIndex{state.steps_done()});
            report::remove_lines_from(run.folder.test_scores(), state.steps_done() + 1);
        } else {
            keep_earlier_metrics(run, state);
            keep_other_configuration(run);
        }
        io::write_text_file(run.folder.configuration(), run.configuration.resolved);
        std::filesystem::remove(run.folder.stopped());
    });
}

}  // namespace

// Checkpoints first, or a start that is killed on the way leaves a course without its metrics; the
// first checkpoint of a course from elsewhere last, or it leaves one with the metrics of another.
void begin_history(const steps::Run& run, runs::RunState& state) {
    state.set_later_aside(run.folder, run.log);
    begin_files(run, state);
    state.settle(run.folder, run.log);
}

}  // namespace civitas::train
