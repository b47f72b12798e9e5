#include "idle_options.hpp"

#include "civitas/base/error.hpp"

#include <string_view>
#include <utility>

namespace civitas::train {
namespace {

class Idle {
public:
    /// The options that follow count where `choice` is one of `kinds`.
    void where(bool counts, std::string choice, std::string_view kinds) {
        counts_ = counts;
        choice_ = std::move(choice);
        kinds_ = kinds;
    }
    void option(bool given, std::string_view words) {
        if (given && !counts_)
            found.push_back(text(words, " does nothing by ", choice_, ": it is of ", kinds_));
    }
    std::vector<std::string> found = {};

private:
    bool counts_ = true;
    std::string choice_;
    std::string_view kinds_;
};

void add_updates(Idle& idle, const planner::Configuration& c) {
    const UpdateOptions& u = c.update;
    const std::string choice = text("--update ", to_string(u.kind));
    idle.where(u.kind == UpdateKind::server, choice, "server");
    idle.option(u.servers != 0, text("--servers ", u.servers));
    idle.where(u.kind != UpdateKind::sync, choice, "async and server");
    idle.option(u.max_staleness.has_value(), "--max-staleness");
    idle.where(u.kind == UpdateKind::async, choice, "async");
    idle.option(u.moments == AsyncMoments::own, "--async-moments own");
    idle.where(u.kind == UpdateKind::sync, choice, "sync");
    idle.option(c.layout_options.reduction == Reduction::fast, "--reduction fast");
}

void add_optimizer(Idle& idle, const planner::Hyperparameters& h) {
    const planner::Hyperparameters usual;
    const std::string choice = text("--optimizer ", to_string(h.optimizer));
    idle.where(h.optimizer == OptimizerKind::adam, choice, "adam");
    idle.option(h.beta1 != usual.beta1, "--beta1");
    idle.option(h.beta2 != usual.beta2, "--beta2");
    idle.where(h.optimizer == OptimizerKind::sgd, choice, "sgd");
    idle.option(h.momentum != usual.momentum, "--momentum");
}

}  // namespace

std::vector<std::string> idle_options(const planner::Configuration& c) {
    Idle idle;
    add_updates(idle, c);
    add_optimizer(idle, c.hyperparameters);
    const ConditionKind condition = c.problem.condition();
    idle.where(condition == ConditionKind::cover, text("--condition ", to_string(condition)),
               "cover");
    idle.option(c.hyperparameters.condition_weight != planner::Hyperparameters{}.condition_weight,
                "--condition-weight");
    const Offload offload = c.layout_options.offload;
    idle.where(offload == Offload::disk, text("--offload ", to_string(offload)), "disk");
    idle.option(!c.layout_options.offload_folder.empty(), "--offload-folder");
    return std::move(idle.found);
}

}  // namespace civitas::train
