#include "civitas/train/idle_options.hpp"

#include "civitas/base/error.hpp"

#include <string_view>

namespace civitas::train {
namespace {

/// An option that counts by some choices of another one.
struct Option {
    std::string words;  ///< as it is typed: `--servers 2`
    bool given;
    std::string_view kinds;  ///< the choices by which it counts
    std::string choice;      ///< what was chosen: `--update async`
    bool counts;             ///< whether that is one of them
};

std::vector<Option> of_updates(const UpdateOptions& u, Reduction reduction) {
    const std::string choice = text("--update ", to_string(u.kind));
    const auto is = [&](UpdateKind kind) { return u.kind == kind; };
    return {
        {text("--servers ", u.servers), u.servers != 0, "server", choice, is(UpdateKind::server)},
        {"--max-staleness", u.max_staleness.has_value(), "async and server", choice,
         !is(UpdateKind::sync)},
        {"--async-moments own", u.moments == AsyncMoments::own, "async", choice,
         is(UpdateKind::async)},
        {"--reduction fast", reduction == Reduction::fast, "sync", choice, is(UpdateKind::sync)}};
}

std::vector<Option> of_optimizer(const planner::Hyperparameters& h) {
    const planner::Hyperparameters usual;
    const std::string choice = text("--optimizer ", to_string(h.optimizer));
    const bool adam = h.optimizer == OptimizerKind::adam;
    const bool sgd = h.optimizer == OptimizerKind::sgd;
    return {{"--beta1", h.beta1 != usual.beta1, "adam", choice, adam},
            {"--beta2", h.beta2 != usual.beta2, "adam", choice, adam},
            {"--momentum", h.momentum != usual.momentum, "sgd", choice, sgd}};
}

std::vector<Option> of_task(const planner::Configuration& c) {
    const planner::Hyperparameters usual;
    const planner::Hyperparameters& h = c.hyperparameters;
    const std::string choice = text("--task ", to_string(c.problem.task()));
    const bool gan = c.problem.task() == TaskKind::gan;
    const bool cuts_second = !c.layout_options.stages_of(schedule::NetId{1}).empty();
    return {
        {"--discriminator-stages", cuts_second, "gan", choice, gan},
        {"--redraw", c.layout_options.redraw, "gan", choice, gan},
        {"--loss", h.loss != usual.loss, "gan", choice, gan},
        {"--generator-lr", h.generator_lr != usual.generator_lr, "gan", choice, gan},
        {"--discriminator-lr", h.discriminator_lr != usual.discriminator_lr, "gan", choice, gan},
        {"--classifier-lr", h.classifier_lr != usual.classifier_lr, "classify", choice, !gan},
        {"--instance-noise", h.instance_noise != usual.instance_noise, "gan", choice, gan},
        {"--ema", h.ema != usual.ema, "gan", choice, gan}};
}

std::vector<Option> of_nets(const planner::Problem& problem) {
    const planner::NetChoice& nets = problem.nets.choice();
    const std::string choice = text("--task ", to_string(problem.task()));
    const bool gan = problem.task() == TaskKind::gan;
    return {
        {"--nz", nets.nz != 0, "gan", choice, gan},
        {"--generator-widths", !nets.generator_widths.empty(), "gan", choice, gan},
        {"--discriminator-widths", !nets.discriminator_widths.empty(), "gan", choice, gan},
        {"--pixels", nets.pixels != 0, "classify", choice, !gan},
        {"--labels", problem.labels != planner::Problem{}.labels, "classify", choice, !gan},
        {"--classes", nets.classes != 0 && gan, "source",
         text("--condition ", to_string(nets.condition)), nets.condition == ConditionKind::source}};
}

std::vector<Option> of_rates(const RateSchedule& rate) {
    return {{"--lr-gamma", rate.gamma != RateSchedule{}.gamma, "step",
             text("--lr-schedule ", to_string(rate.shape)), rate.shape == RateShape::step}};
}

std::vector<Option> of_devices(const planner::LayoutOptions& o) {
    const bool of_stages = !o.stage_devices.empty();
    const std::string choice = (of_stages ? "--stage-devices " : "--device ") + o.devices();
    return {{"--cuda-graphs off", o.cuda_graphs == CudaGraphs::off, "cuda", choice,
             has_kind(o.devices(), DeviceKind::cuda)},
            {text("--device ", to_string(o.device)), of_stages && o.device != DeviceKind::cpu,
             "stages on devices of one kind", choice, false}};
}

std::vector<Option> of_condition_and_offload(const planner::Configuration& c) {
    const ConditionKind condition = c.problem.condition();
    const Offload offload = c.layout_options.offload;
    const double usual_weight = planner::Hyperparameters{}.condition_weight;
    return {{"--condition-weight", c.hyperparameters.condition_weight != usual_weight, "cover",
             text("--condition ", to_string(condition)), condition == ConditionKind::cover},
            {"--offload-folder", !c.layout_options.offload_folder.empty(), "disk",
             text("--offload ", to_string(offload)), offload == Offload::disk}};
}

}  // namespace

std::vector<std::string> idle_options(const planner::Configuration& c) {
    std::vector<std::string> idle;
    for (const auto& options :
         {of_updates(c.update, c.layout_options.reduction), of_optimizer(c.hyperparameters),
          of_task(c), of_nets(c.problem), of_rates(c.hyperparameters.rate),
          of_devices(c.layout_options), of_condition_and_offload(c)})
        for (const Option& o : options)
            if (o.given && !o.counts)
                idle.push_back(
                    text(o.words, " does nothing by ", o.choice, ": it is of ", o.kinds));
    return idle;
}

}  // namespace civitas::train
