#include "civitas/runs/run_state.hpp"

#include "civitas/runs/held_run_folder.hpp"

#include "civitas/base/hash.hpp"
#include "civitas/base/text.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/comm/failure.hpp"
#include "civitas/data/labels.hpp"
#include "civitas/io/files.hpp"
#include "civitas/io/unused_name.hpp"
#include "civitas/runs/class_names.hpp"
#include "civitas/runs/ground_notes.hpp"
#include "civitas/runs/job_start.hpp"
#include "civitas/schedule/gan.hpp"
#include "civitas/tasks/pipe_view.hpp"

#include <algorithm>

namespace civitas::runs {
namespace {

namespace fs = std::filesystem;

/// With what the classes of tiles are called.
std::map<std::string, std::string> with_classes(std::map<std::string, std::string> notes,
                                                const planner::Problem& problem,
                                                const data::TileStore& store) {
    if (problem.task() == TaskKind::classify)
        notes.merge(note_of_classes(data::labels_of(store, problem.labels).names));
    return notes;
}

/// A run's facts and notes, beside them what both say of conditions, or of tiles.
std::map<std::string, std::string> with(std::map<std::string, std::string> texts,
                                        std::map<std::string, std::string> more) {
    texts.merge(more);
    return texts;
}

/// With what only the tiles tell: how long the schedule of the learning rate is.
planner::Configuration of_known_length(planner::Configuration c, const data::TileStore& store) {
    c.hyperparameters.rate = planner::rate_schedule(c, std::ssize(store.rows(data::Split::train)));
    return c;
}

/// Throws UsageError for a rate that falls by steps up to an end that is counted in tiles, where
/// batches of another size have been made of these.
void require_known_end(const planner::Configuration& c, tasks::SamplesSeen seen) {
    const std::int64_t batches = index(seen.after) * c.problem.batch;
    if (c.hyperparameters.rate.resolved() != RateShape::cosine || c.run_options.epochs == 0 ||
        seen.count == batches)
        return;
    throw UsageError(
        text("a cosine (--lr-schedule) ends at a step, which --epochs ", c.run_options.epochs,
             " does not tell: the ", index(seen.after), " steps of the checkpoint have seen ",
             seen.count, " tiles, with --batch ", c.problem.batch, " they would have ", batches),
        Hint{"--steps in the place of --epochs, or --lr-schedule constant"});
}

}  // namespace

std::optional<fs::path> checkpoint_to_resume(const comm::Communicator& world,
                                             const planner::Resume& how, const RunFolder& folder,
                                             Log& log) {
    if (how.from == planner::Resume::From::file) return how.file;
    if (how.from == planner::Resume::From::newest)
        return checkpoint::newest_whole(world, folder.checkpoints(),
                                        [&](const std::string& line) { log.warn(line); });
    comm::agree(world, [&] {
        if (world.is_root() && !checkpoint::list(folder.checkpoints()).empty())
            throw UsageError(
                text("--resume never, but ", folder.checkpoints(), " holds checkpoints"),
                Hint{"another --run, or --resume auto"});
    });
    return std::nullopt;
}

RunState::RunState(const planner::Configuration& configuration,
                   const planner::ExecutionLayout& layout, const environment::Process& process,
                   const comm::Mesh& mesh, const data::TileStore& store,
                   std::unique_ptr<memory::OffloadMemory> offload_to,
                   std::vector<optim::SharedModel*> shared)
    : config_(of_known_length(configuration, store)),
      mesh_(mesh),
      conditions_(conditions_of(configuration.problem.condition(), store)),
      facts_(with(facts_of(configuration.problem, configuration.hyperparameters, store),
                  facts_of(conditions_))),
      notes_(with(with_classes(
                      with(notes_of(config_, layout.mesh, process.threads, process.instruction_set),
                           notes_of_ground(store.header())),
                      configuration.problem, store),
                  notes_of(conditions_))),
      offload_to_(std::move(offload_to)),
      models_(config_, layout, process, mesh, {offload_to_.get(), std::move(shared)}),
      saves_(configuration.run_options, mesh) {
    if (configuration.run_options.checkpoint_mode == planner::CheckpointMode::async)
        saves_.allow_background(shards_to_write());
}

void RunState::resume(const std::optional<fs::path>& from, const RunFolder& folder, Log& log) {
    if (!from) return;
    const comm::Communicator& world = mesh_.world();
    load(*from, log);
    const bool found = comm::agree(world, [&] {
        const auto files = checkpoint::list(folder.checkpoints());
        return world.is_root() && std::any_of(files.begin(), files.end(), [&](const auto& other) {
                   return fs::equivalent(other, resumed_from_);
               });
    });
    ours_ = world.any(found);
    if (ours_ && !changed_) saves_.take_up(StepIndex{done_});
}

bool RunState::accept(const checkpoint::Header& header, Log& log) const {
    const auto found = differences(header.facts, facts_);
    require_same_problem(found, config_.run_options.allow_change);
    if (!mesh_.world().is_root()) return !found.empty();
    for (const Difference& d : found)
        log.warn(text(d.key, " changes from ", d.stored, " to ", d.now, ", as allowed"));
    for (const Difference& d : differences(header.notes, notes_))
        log.warn(text(d.key, " changes from ", d.stored, " to ", d.now));
    return !found.empty();
}

std::vector<LocalShard> RunState::local_shards() const {
    return runs::local_shards(models_, mesh_.coordinate());
}

std::vector<checkpoint::Shard> RunState::shards_to_write() const {
    return writing_shards(local_shards(), mesh_.coordinate(), mesh_.shape());
}

Snapshot RunState::snapshot() const {
    auto facts = facts_;
    add_samples_seen(facts, seen_.before(StepIndex{done_}, config_.problem.batch));
    auto local = local_shards();
    auto writing = writing_shards(local, mesh_.coordinate(), mesh_.shape());
    return {
        {StepIndex{done_}, facts, notes_, config_.resolved}, std::move(local), std::move(writing)};
}

void RunState::load(const std::filesystem::path& file, Log& log) {
    const comm::Communicator& world = mesh_.world();
    const auto header = checkpoint::read_contents(world, file).header;
    changed_ = world.any(comm::agree(world, [&] { return accept(header, log); }));
    const bool mean_begins = keeps_mean(facts_) && !keeps_mean(header.facts);
    auto stored = local_shards();
    if (mean_begins) stored = without("/ema/", std::move(stored));
    if (comm::agree(world, [&] { return !keeps_moments(header.facts, facts_); }))
        stored = without("/optimizer/", std::move(stored));
    runs::load(mesh_, file, stored);
    seen_ = comm::agree(world, [&] {
        const tasks::SamplesSeen seen = runs::samples_seen(header);
        require_known_end(config_, seen);
        return seen;
    });
    done_ = index(header.step);
    resumed_at_ = header.step;
    resumed_from_ = file;
    for (const auto& net : models_.all()) net->after_loading(done_);
    if (mean_begins) models_[schedule::gan::generator].begin_mean();
    log.info(text("resumed from ", file.string(), " after step ", done_));
}

void RunState::set_later_aside(const RunFolder& folder, Log& log) const {
    if (!resumed()) return;
    comm::on_root(mesh_.world(), [&] {
        const auto last = ours_ ? std::optional(resumed_from_) : std::nullopt;
        const bool newest = config_.run_options.resume.from == planner::Resume::From::newest;
        for (const fs::path& name :
             set_checkpoints_aside(folder, last, newest ? ".damaged" : ".abandoned"))
            log.info(text("set aside as ", name.string()));
    });
}

void RunState::settle(const RunFolder& folder, Log& log) {
    if (resumed() && !ours_) save(folder, log);
    comm::on_root(mesh_.world(), [&] {
        if (resumed() && ours_) saves_.prune(folder, StepIndex{done_}, log);
        const planner::Resume& how = config_.run_options.resume;
        if (how.from != planner::Resume::From::newest)
            remember_resumed(folder, this_job_start(), to_string(how));
    });
}

/// Before the step that it was made after is saved again, with what has changed.
void RunState::keep_unchanged(Log& log) const {
    comm::on_root(mesh_.world(), [&] {
        const fs::path kept = io::unused_name(resumed_from_, ".old");
        std::error_code without_links;
        fs::create_hard_link(resumed_from_, kept, without_links);
        if (without_links) io::copy_file(resumed_from_, kept);
        log.info(text("kept as ", kept.string()));
    });
}

void RunState::save(const RunFolder& folder, Log& log) {
    finish_save(folder, log);
    if (is_saved()) return;
    tried_ = done_;
    if (changed_ && ours_ && index(resumed_at_) == done_) keep_unchanged(log);
    saves_.write(folder, snapshot(), log);
}

void RunState::begin_save(const RunFolder& folder, Log& log) {
    finish_save(folder, log);
    if (is_saved()) return;
    tried_ = done_;
    saves_.begin(folder, snapshot());
}

std::uint64_t RunState::fingerprint() const {
    if (is_saved() && saves_.fingerprint()) return *saves_.fingerprint();
    return checkpoint::fingerprint(mesh_.world(), shards_to_write());
}

}  // namespace civitas::runs
