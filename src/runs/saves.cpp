#include "civitas/runs/saves.hpp"

#include "civitas/base/text.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/comm/failure.hpp"

namespace civitas::runs {
namespace {

namespace fs = std::filesystem;

}  // namespace

void Saves::require_equal_copies(const std::vector<LocalShard>& local) const {
    for (const Axis axis : {Axis::data, Axis::tensor}) {
        const comm::Communicator& replicas = mesh_.group(axis);
        if (replicas.size() == 1) continue;
        const auto copies = replicated_over(axis, local);
        comm::agree(mesh_.world(), [&] { checkpoint::require_equal_replicas(replicas, copies); });
    }
}

void Saves::write(const RunFolder& folder, const Snapshot& snapshot, Log& log) {
    const Stopwatch watch;
    require_equal_copies(snapshot.local);
    const auto written = checkpoint::save(mesh_.world(), folder.checkpoints(), snapshot.header,
                                          snapshot.writing, std::move(spare_));
    note(folder, snapshot.header.step, written, log);
    log.info(text("saved ", written.file.string(), " (", megabytes(written.bytes), ", ",
                  fixed(watch.seconds(), 2), " s", ")"));
}

void Saves::begin(const RunFolder& folder, const Snapshot& snapshot) {
    ensure(background_.has_value(), "saves in the background are allowed");
    since_begin_.restart();
    require_equal_copies(snapshot.local);
    background_->begin(folder.checkpoints(), snapshot.header, snapshot.writing, std::move(spare_));
    step_ = snapshot.header.step;
    waited_s_ = since_begin_.seconds();
}

void Saves::advance(const RunFolder& folder, StepIndex now, Log& log) {
    const Stopwatch watch;
    const auto written = background_->advance();
    if (written) note(folder, step_, *written, log);
    waited_s_ += watch.seconds();
    if (written)
        log.info(text("saved ", written->file.string(), " (", megabytes(written->bytes), ", ",
                      fixed(since_begin_.seconds(), 2), " s", ", training waited ",
                      fixed(waited_s_, 2), " s", ", committed after step ", index(now), ")"));
}

void Saves::finish(const RunFolder& folder, StepIndex now, Log& log) {
    while (on_its_way()) advance(folder, now, log);
}

void Saves::note(const RunFolder& folder, StepIndex step, const checkpoint::Written& written,
                 Log& log) {
    last_ = {step, written.fingerprint};
    comm::on_root(mesh_.world(), [&] {
        whole_.insert(written.file);
        prune(folder, step, log);
    });
}

void Saves::prune(const RunFolder& folder, StepIndex newest, Log& log) {
    const auto is_whole = [&](const fs::path& file) -> std::optional<bool> {
        if (whole_.contains(file)) return true;
        try {
            return !checkpoint::problem_with(file) && whole_.insert(file).second;
        } catch (const Error& e) {
            if (!comm::is_no_damage(e)) throw;
            log.warn(text(e.what(), " Until then ", file.filename(), " is not counted by --keep."));
            return std::nullopt;
        }
    };
    spare_ = checkpoint::prune(folder.checkpoints(), {options_.keep, options_.keep_every}, newest,
                               is_whole);
}

}  // namespace civitas::runs
