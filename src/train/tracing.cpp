#include "tracing.hpp"

#include "civitas/comm/agree.hpp"

#include <map>

namespace civitas::train {
namespace {

using parallel::Action;
using parallel::Performed;

/// What all ranks have written down, by rank.
template <class T>
std::vector<std::vector<T>> gathered(const comm::Communicator& world, const std::vector<T>& mine) {
    const auto counts = world.all_gather(std::ssize(mine));
    const auto all = world.all_gather(std::span<const T>(mine));
    std::vector<std::vector<T>> by_rank;
    auto next = all.begin();
    for (const auto count : counts) {
        by_rank.emplace_back(next, next + count);
        next += count;
    }
    return by_rank;
}

/// `data 0, pipe 1, tensor 0`
std::string place_of(const Coordinate& at) {
    std::string words;
    for (const Axis axis : all_axes)
        words += text(words.empty() ? "" : ", ", name_of(axis), ' ', at[axis]);
    return words;
}

report::Trace trace_of(const std::vector<std::vector<Performed>>& by_rank,
                       const std::vector<std::vector<TalkSpan>>& talks, const Setting& setting) {
    report::Trace trace;
    for (std::size_t rank = 0; rank < by_rank.size(); ++rank) {
        const auto at = setting.mesh.coordinate(Rank{static_cast<int>(rank)});
        trace.ranks.push_back(text("rank ", rank, " (", place_of(at), ')'));
        for (const auto& spans : {spans_of(static_cast<int>(rank), by_rank[rank]),
                                  spans_of(static_cast<int>(rank), talks[rank])})
            trace.spans.insert(trace.spans.end(), spans.begin(), spans.end());
    }
    for (const Rank first : setting.mesh.first_of_groups(Axis::pipe)) {
        std::vector<std::vector<Performed>> actions;
        std::vector<int> ranks;
        for (const Rank rank : setting.mesh.group(first, Axis::pipe)) {
            ranks.push_back(index(rank));
            actions.push_back(by_rank[static_cast<std::size_t>(ranks.back())]);
        }
        const auto messages = messages_of(actions, ranks, setting.placement,
                                          static_cast<int>(setting.generator_stages.size()));
        trace.messages.insert(trace.messages.end(), messages.begin(), messages.end());
    }
    return trace;
}

std::string_view to_string(Talk talk) {
    switch (talk) {
        case Talk::tensor_exchange: return "exchange along tensor";
        case Talk::data_exchange: return "exchange along data";
        case Talk::meeting: return "wait until all ranks have met";
    }
    return "";
}

}  // namespace

std::vector<report::TraceSpan> spans_of(int rank, std::span<const Performed> actions) {
    std::vector<report::TraceSpan> spans;
    for (const Performed& p : actions) {
        const double begun = p.begin_s + p.waited_s;
        if (p.waited_s > 0)
            spans.push_back(
                {rank, "wait for input of " + to_string(p.action), "wait", p.begin_s, begun});
        spans.push_back(
            {rank, to_string(p.action), std::string(to_string(p.action.kind)), begun, p.end_s});
    }
    return spans;
}

std::vector<report::TraceSpan> spans_of(int rank, std::span<const TalkSpan> talks) {
    std::vector<report::TraceSpan> spans;
    for (const TalkSpan& talk : talks)
        spans.push_back({rank, std::string(to_string(talk.talk)),
                         talk.talk == Talk::meeting ? "wait" : "exchange", talk.begin_s,
                         talk.end_s});
    return spans;
}

std::vector<report::TraceMessage> messages_of(std::span<const std::vector<Performed>> actions,
                                              std::span<const int> ranks,
                                              const parallel::Placement& placement, int stages) {
    // Step by step the same table: the n-th time an action was made is the n-th time it was used.
    std::map<Action, std::vector<double>> made;
    for (const auto& of_coordinate : actions)
        for (const Performed& p : of_coordinate) made[made_by(p.action)].push_back(p.end_s);
    std::vector<report::TraceMessage> messages;
    std::map<Action, std::size_t> used;
    for (std::size_t here = 0; here < actions.size(); ++here) {
        for (const Performed& p : actions[here]) {
            const auto maker = maker_of_input(p.action, stages);
            if (!maker) continue;
            const auto there =
                static_cast<std::size_t>(placement.coordinate_of(maker->net, maker->stage));
            const std::size_t turn = used[p.action]++;
            if (there == here || turn >= made[*maker].size()) continue;
            messages.push_back({to_string(*maker), ranks[there], ranks[here], made[*maker][turn],
                                p.begin_s + p.waited_s});
        }
    }
    return messages;
}

Tracer::Tracer(std::filesystem::path file, io::Replace replace, const comm::Mesh& mesh,
               const Setting& setting)
    : file_(std::move(file)), replace_(replace), mesh_(mesh), setting_(setting) {
    mesh.world().barrier();
    recording_.timeline.clock.restart();
}

void Tracer::listen(Timeline* timeline) const {
    mesh_.exchange(Axis::tensor).record_to(timeline, Talk::tensor_exchange);
    mesh_.exchange(Axis::data).record_to(timeline, Talk::data_exchange);
}

parallel::Recording* Tracer::begin_step() {
    if (written_) return nullptr;
    listen(&recording_.timeline);
    return &recording_;
}

void Tracer::step_done() {
    listen(nullptr);
    if (++steps_ == traced_steps) finish();
}

void Tracer::finish() {
    if (written_) return;
    written_ = true;
    const auto by_rank = gathered(mesh_.world(), recording_.actions);
    const auto talks = gathered(mesh_.world(), recording_.timeline.spans);
    comm::agree(mesh_.world(), [&] {
        if (mesh_.world().is_root())
            io::write_text_file(file_, report::to_chrome_json(trace_of(by_rank, talks, setting_)),
                                replace_);
    });
}

}  // namespace civitas::train
