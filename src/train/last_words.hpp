#pragma once
/// What is told when a run ends, well or not.
#include "civitas/steps/run.hpp"
#include "course.hpp"

#include "civitas/base/signals.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/comm/failure.hpp"
#include "civitas/comm/session.hpp"
#include "civitas/runs/held_run_folder.hpp"
#include "civitas/tasks/together.hpp"

namespace civitas::train {

/// The error that ends a run, if any, is in its log, too; lines that log could not keep are told.
void last_words(Log& log, const std::string& error);

/// What an error says; of too little memory also how many bytes of a rank the plan counts on.
[[nodiscard]] std::string error_words(const std::exception& error, std::int64_t planned_bytes);

/// Trains to the end; `poster`: as Trainer has it. An error that only this rank knows of ends the
/// job before anything is unwound: a thread of this rank may wait for a file server that never
/// answers, and the other ranks for this one.
[[nodiscard]] Exit trained(runs::HeldRunFolder& held, const steps::Run& run, runs::RunState& state,
                           StopSignals& signals, Course& course, tasks::Poster* poster);

/// Runs `work`; an error that only one rank knows of says on which coordinate it happened.
template <class Work>
Exit with_last_words(const comm::Mesh& mesh, Log& log, Work&& work) {
    try {
        const Exit end = work();
        last_words(log, "");
        return end;
    } catch (const AgreedError& e) {
        last_words(log, e.what());
        throw;
    } catch (const Error& e) {
        last_words(log, tasks::place_of(mesh) + e.what());
        throw Error(tasks::place_of(mesh) + e.what());
    } catch (const std::exception& e) {
        last_words(log, tasks::place_of(mesh) + comm::message_of(e));
        throw;
    }
}

/// Runs `work`; an error that only one rank knows of ends the job: the others would wait for it.
template <class Work>
Exit or_end_the_job(const runs::HeldRunFolder& held, Log& log, Work&& work) {
    try {
        return work();
    } catch (const AgreedError&) {
        throw;
    } catch (const std::exception& e) {
        last_words(log, comm::message_of(e));
        if (held.lock) held.lock->release();
        comm::end_job(log.spoken(comm::message_of(e)));
    }
}

}  // namespace civitas::train
