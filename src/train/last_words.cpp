#include "last_words.hpp"

#include "trainer.hpp"

#include "civitas/base/text.hpp"
#include "civitas/comm/failure.hpp"
#include "civitas/tasks/together.hpp"

namespace civitas::train {

void last_words(Log& log, const std::string& error) {
    if (!error.empty()) log.record("error: " + error);
    if (const std::string losses = log.losses(); !losses.empty()) log.warn(losses);
}

std::string error_words(const std::exception& error, std::int64_t planned_bytes) {
    if (!comm::lacks_memory(error)) return comm::message_of(error);
    return Error(
               text(comm::message_of(error), "; the plan of this run counts on ",
                    megabytes(planned_bytes), " a rank"),
               Hint{
                   "more memory or ranks, a smaller --micro-batch, --shard, --redraw, --recompute"})
        .what();
}

Exit trained(runs::HeldRunFolder& held, const steps::Run& run, runs::RunState& state,
             StopSignals& signals, Course& course, tasks::Poster* poster) {
    Trainer trainer(run, state, signals, course, poster);
    try {
        return trainer.run_all();
    } catch (const AgreedError&) {
        throw;
    } catch (const std::exception& e) {
        const std::string words = tasks::place_of(run.mesh) + error_words(e, run.plan.peak_bytes());
        last_words(run.log, words);
        if (held.lock) held.lock->release();
        comm::end_job(run.log.spoken(words));
    }
}

}  // namespace civitas::train
