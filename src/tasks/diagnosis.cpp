#include "civitas/tasks/diagnosis.hpp"

#include <algorithm>
#include <limits>

namespace civitas::tasks {
namespace {

/// What the lowest rank that found something found.
std::optional<std::string> first_of(const comm::Communicator& ranks, const std::string& mine) {
    for (const std::string& finding : ranks.all_gather(mine))
        if (!finding.empty()) return finding;
    return std::nullopt;
}

/// The first finding along the pipe axis, whichever part of a stage has it.
std::optional<std::string> first_of(const PipeView& stages, const std::string& mine) {
    return first_of(stages.pipe, first_of(stages.tensor, mine).value_or(""));
}

std::string bad_weights(const optim::ModelState& net) {
    const auto bad = net.first_non_finite();
    return bad ? text(net.name(), " has lost its weights ", *bad) : "";
}

using Samples = std::optional<nn::SampleRange>;

/// Runs a stage on x, which becomes its output, and names the first layer whose output is not
/// finite on some rank of the tensor axis.
std::string bad_layer(const NetView& net, StageId stage, const Samples& samples, at::Tensor& x) {
    const auto layers = net.local.layers_of(stage);
    const auto local =
        std::find_if(net.local.local_stages().begin(), net.local.local_stages().end(),
                     [&](const optim::StageLayers& h) { return h.stage == stage; });
    std::string found;
    for (std::size_t i = 0; i < layers.size(); ++i) {
        x = samples ? layers[i]->forward_of(x, *samples).y : layers[i]->evaluate(x);
        if (found.empty() && net.stages.tensor.any(!optim::all_finite(x)))
            found = local->description.layers[i].name;
    }
    return found;
}

/// Name of the first layer of the net whose output is not finite; x becomes the net's output.
std::optional<std::string> bad_layer_along(const NetView& net, const Samples& samples,
                                           at::Tensor& x) {
    std::vector<std::string> found(net.stages.owners.size());
    x = forward_through_pipe(net.stages, x, [&](StageId stage, const at::Tensor& input) {
        at::Tensor y = input;
        found[static_cast<std::size_t>(stage)] = bad_layer(net, stage, samples, y);
        return y;
    });
    for (const std::string& mine : found)
        if (auto bad = first_of(net.stages, mine)) return bad;
    return std::nullopt;
}

}  // namespace

std::string first_non_finite_layer(std::span<const NetView> nets, const Probe& probe,
                                   const Samples& samples) {
    for (const NetView& net : nets)
        if (const auto bad = first_of(net.stages, bad_weights(net.local))) return *bad;
    at::Tensor x = probe.x;
    for (const NetView& net : nets)
        if (const auto bad = bad_layer_along(net, samples, x))
            return text(net.local.name(), ", layer ", *bad, ", gives the first such value");
    return probe.finite;
}

NonFiniteGradient::NonFiniteGradient(schedule::NetId net, const Models& models,
                                     const std::string& parameter, StepIndex step)
    : AgreedError(
          text("in step ", index(step) + 1, " the gradient of ", models[net].name(), ' ', parameter,
               " is not finite. Hint: ", models.lower_rates(), "; what was saved stays."),
          false),
      net_(net),
      parameter_(parameter) {}

NonFiniteGradient non_finite_gradient(const comm::Communicator& world, schedule::NetId which,
                                      const Models& models, StepIndex step) {
    const auto mine = models[which].updater().first_non_finite();
    return {which, models, first_of(world, mine.value_or("")).value(), step};
}

std::vector<schedule::Action> leaves_only(const std::vector<schedule::Action>& table) {
    std::vector<schedule::Action> actions;
    for (const schedule::Action& a : table)
        if (a.kind != schedule::Kind::reduce && a.kind != schedule::Kind::step)
            actions.push_back(a);
    return actions;
}

std::optional<std::string> first_of_all(const comm::Communicator& ranks,
                                        const std::vector<std::string>& passes,
                                        const std::optional<optim::BadLeaf>& mine,
                                        const MicroBatchShare& own) {
    // Leaves in the order of the step: by pass, then by micro-batch.
    constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
    const std::int64_t pass = ranks.min(mine ? mine->pass : none);
    if (pass == none) return std::nullopt;
    const bool in_pass = mine && mine->pass == pass;
    const std::int64_t micro = in_pass ? index(own.global(mine->micro)) : none;
    const std::int64_t first = ranks.min(micro);
    const std::int64_t teller = ranks.min(micro == first ? index(ranks.rank()) : ranks.size());
    const std::string name =
        ranks.broadcast(mine ? mine->parameter : std::string(), Rank{static_cast<int>(teller)});
    return text(name, ", pass ", passes.at(static_cast<std::size_t>(pass)), ", micro-batch ", first,
                ",");
}

}  // namespace civitas::tasks
