#include "civitas/schedule/actions.hpp"
#include "civitas/schedule/sharded_weights.hpp"

#include "civitas/base/error.hpp"

namespace civitas::schedule {
namespace {

/// The stages that those of a net become, by StageId.
std::vector<Range> parts_of_net(const std::vector<int>& counts) {
    std::vector<Range> parts;
    std::int64_t begin = 0;
    for (const int count : counts) {
        ensure(count > 0, "a stage is split into one at least");
        parts.push_back({begin, count});
        begin += count;
    }
    return parts;
}

/// Appends what an action becomes.
void append_parts(const Action& action, Range parts, std::vector<Action>& actions) {
    const bool backward = includes_B(action.kind) || includes_W(action.kind);
    for (std::int64_t i = 0; i < parts.count; ++i) {
        const std::int64_t stage = backward ? parts.end() - 1 - i : parts.begin + i;
        actions.push_back(at_stage(action, StageId{static_cast<int>(stage)}));
    }
}

}  // namespace

Schedule split_stages(const Schedule& schedule, const StageParts& parts) {
    std::vector<std::vector<Range>> stages;
    for (const auto& of_net : parts) stages.push_back(parts_of_net(of_net));
    Schedule split{schedule.name, schedule.graph, {}};
    for (const auto& actions : schedule.coordinates) {
        auto& list = split.coordinates.emplace_back();
        for (const Action& action : actions) {
            if (of_whole_net(action.kind)) {
                list.push_back(action);
                continue;
            }
            const auto& of_net = stages.at(static_cast<std::size_t>(action.net));
            append_parts(action, of_net.at(static_cast<std::size_t>(action.stage)), list);
        }
    }
    return split;
}

}  // namespace civitas::schedule
