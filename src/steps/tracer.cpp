#include "civitas/steps/tracer.hpp"

#include "tracing.hpp"

#include "civitas/base/text.hpp"
#include "civitas/comm/agree.hpp"

#include <optional>
#include <utility>

namespace civitas::steps {
namespace {

using parallel::Performed;

/// What one rank has recorded.
struct Recorded {
    std::vector<Performed> actions;
    std::vector<TalkSpan> talks;
};

/// `data 0, pipe 1, tensor 0`
std::string place_of(const Coordinate& at) {
    return join(all_axes, ", ", [&](Axis axis) { return text(name_of(axis), ' ', at[axis]); });
}

/// The root's side: what the ranks of one replica have recorded becomes events of the file before
/// that of the next one comes.
class Gathered {
public:
    /// With room for what ranks have recorded, so that it comes without fail.
    Gathered(const std::filesystem::path& file, io::Replace replace,
             const planner::ExecutionLayout& layout, std::int64_t most_actions,
             std::int64_t most_talks)
        : file_(file, replace),
          layout_(layout),
          replica_(static_cast<std::size_t>(layout.mesh.size() / layout.mesh[Axis::data])) {
        for (Recorded& recorded : replica_) {
            recorded.actions.reserve(static_cast<std::size_t>(most_actions));
            recorded.talks.reserve(static_cast<std::size_t>(most_talks));
        }
    }
    /// Where to what this rank has recorded is brought.
    [[nodiscard]] Recorded& room_of(Rank rank) {
        return replica_[static_cast<std::size_t>(index(rank)) % replica_.size()];
    }
    /// All of this rank has come. Ranks of a replica follow one another.
    void add(Rank rank) {
        file_.name(index(rank),
                   text("rank ", index(rank), " (", place_of(layout_.mesh.coordinate(rank)), ')'));
        const Recorded& recorded = room_of(rank);
        for (const auto& span : spans_of(layout_.schedule.graph, index(rank), recorded.actions))
            file_.add(span);
        for (const auto& span : spans_of(index(rank), recorded.talks)) file_.add(span);
        const auto pipe = layout_.mesh.group(rank, Axis::pipe);
        if (rank == pipe.back()) add_messages(pipe);
    }
    void commit() { file_.commit(); }

private:
    /// Between the ranks of one pipe.
    void add_messages(const std::vector<Rank>& pipe) {
        std::vector<std::span<const Performed>> actions;
        std::vector<int> ranks;
        for (const Rank rank : pipe) {
            ranks.push_back(index(rank));
            actions.push_back(room_of(rank).actions);
        }
        for (const auto& message : messages_of(layout_.schedule.graph, actions, ranks,
                                               layout_.placement, layout_.stage_counts()))
            file_.add(message);
    }

    report::TraceFile file_;
    const planner::ExecutionLayout& layout_;
    std::vector<Recorded> replica_;
};

}  // namespace

Tracer::Tracer(std::filesystem::path file, io::Replace replace, const comm::Mesh& mesh,
               const planner::ExecutionLayout& layout)
    : file_(std::move(file)), replace_(replace), mesh_(mesh), layout_(layout) {
    mesh.world().barrier();
    recording_.timeline.clock.restart();
}

void Tracer::listen(Timeline* timeline) const {
    mesh_.collectives(Axis::tensor).record_to(timeline, Talk::tensor_exchange);
    mesh_.collectives(Axis::data).record_to(timeline, Talk::data_exchange);
}

parallel::Recording* Tracer::begin_step() {
    if (steps_ >= traced_steps || written_) return nullptr;
    listen(&recording_.timeline);
    return &recording_;
}

void Tracer::step_done() {
    listen(nullptr);
    ++steps_;
}

void Tracer::write_when_done() {
    if (steps_ >= traced_steps) finish();
}

void Tracer::finish() {
    if (std::exchange(written_, true)) return;
    const comm::Communicator& world = mesh_.world();
    const std::int64_t most_actions = world.max(std::ssize(recording_.actions));
    const std::int64_t most_talks = world.max(std::ssize(recording_.timeline.spans));
    std::optional<Gathered> root;
    comm::on_root(world, [&] { root.emplace(file_, replace_, layout_, most_actions, most_talks); });
    Recorded mine{std::move(recording_.actions), std::move(recording_.timeline.spans)};
    comm::Outcome trouble;  // of the root, which asks the others all the same: they wait for it
    for (Rank rank{0}; index(rank) < world.size(); rank = Rank{index(rank) + 1}) {
        if (!root && world.rank() != rank) continue;
        Recorded& here = root ? root->room_of(rank) : mine;
        if (root && world.rank() == rank) here = mine;
        here.actions = world.transfer(std::move(here.actions), rank);
        here.talks = world.transfer(std::move(here.talks), rank);
        try {
            if (root && !trouble) root->add(rank);
        } catch (...) {
            trouble = std::current_exception();
        }
    }
    comm::agree(world, [&] {
        if (trouble) std::rethrow_exception(trouble);
        if (root) root->commit();
    });
}

}  // namespace civitas::steps
