#include "gathered_stages.hpp"

#include "civitas/schedule/actions.hpp"

namespace civitas::schedule {
namespace {

Action of_stage(Kind kind, const std::pair<NetId, StageId>& stage) {
    return {.net = stage.first, .stage = stage.second, .kind = kind};
}

}  // namespace

std::optional<std::string> GatheredStages::perform(const Action& a) {
    const std::pair stage(a.net, a.stage);
    const auto must_come_first = [&](const Action& missing) {
        return to_string(graph_, missing) + " must come first";
    };
    if (a.kind == Kind::gather) {
        if (!here_.insert(stage).second) return "its weights are here already";
    } else if (a.kind == Kind::release) {
        if (here_.erase(stage) == 0) return must_come_first(of_stage(Kind::gather, stage));
    } else if (reads_weights(a.kind)) {
        if (!here_.contains(stage)) return must_come_first(of_stage(Kind::gather, stage));
    } else if (a.kind == Kind::step) {
        const auto old = here_.lower_bound({a.net, first_stage});
        if (old != here_.end() && old->first == a.net)
            return must_come_first(of_stage(Kind::release, *old));
    }
    return std::nullopt;
}

std::optional<Action> GatheredStages::missing_release() const {
    if (here_.empty()) return std::nullopt;
    return of_stage(Kind::release, *here_.begin());
}

}  // namespace civitas::schedule
