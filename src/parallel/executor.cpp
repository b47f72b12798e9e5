#include "civitas/parallel/executor.hpp"

#include "executor_state.hpp"
#include "stage_channel.hpp"

#include "civitas/base/error.hpp"
#include "civitas/schedule/actions.hpp"

#include <algorithm>
#include <utility>

namespace civitas::parallel {

Executor::Executor(std::vector<NetParts> nets, Task& task, Pipeline pipeline)
    : nets_(std::move(nets)), task_(task), state_(std::make_unique<State>(std::move(pipeline))) {
    ensure(nets_.size() == graph().nets.size(), "a step has parts of every net");
    for (const NetParts& net : nets_) {
        std::size_t layers = 0;
        for (const LocalStage& stage : net.stages) layers += stage.layers->size();
        ensure(layers == net.leaves->layers(), "every layer has its leaves");
    }
}

Executor::~Executor() = default;

std::int64_t Executor::peak_bytes() const noexcept { return state_->peak_bytes; }
std::int64_t Executor::peak_gathered_bytes() const noexcept { return state_->peak_gathered_bytes; }
const schedule::KeptPeak& Executor::peak_kept() const noexcept { return state_->peak_kept; }
const schedule::StepGraph& Executor::graph() const { return state_->channel.graph(); }

const NetParts& Executor::parts(schedule::NetId net) const {
    return nets_.at(static_cast<std::size_t>(net));
}

const LocalStage& Executor::local_stage(const schedule::Action& action) const {
    for (const LocalStage& stage : parts(action.net).stages)
        if (stage.stage == action.stage) return stage;
    throw Error(text(to_string(graph(), action), " is not of a stage held here"));
}

void Executor::clear() {
    observer_ = nullptr;
    state_->clear();
    for (const NetParts& net : nets_) {
        net.leaves->restart();
        if (net.weights != nullptr) net.weights->clear();
    }
}

void Executor::run(const std::vector<schedule::Action>& actions, ActionObserver* observer) {
    state_->begin(actions);
    observer_ = observer;
    try {
        for (std::size_t i = 0; i < actions.size(); ++i) {
            state_->channel.prepare(actions, i);
            perform_observed(actions[i]);
            state_->note(actions[i]);
            progress();
        }
    } catch (...) {
        clear();
        throw;
    }
    clear();
    state_->end(actions);
}

void Executor::perform_observed(const schedule::Action& action) {
    if (observer_ == nullptr) return perform(action);
    const double before = waited();
    observer_->begin(action);
    perform(action);
    observer_->end(action, waited() - before);
}

double Executor::waited() const noexcept {
    double seconds = state_->channel.waited();
    for (const NetParts& net : nets_)
        if (net.weights != nullptr) seconds += net.weights->waited();
    return seconds;
}

void Executor::progress() const {
    state_->channel.progress();
    for (const NetParts& net : nets_)
        if (net.weights != nullptr) net.weights->progress();
}

void Executor::tell_layer(std::size_t layer) const {
    if (observer_ != nullptr) observer_->at_layer(layer);
}

void Executor::perform(const schedule::Action& action) {
    switch (action.kind) {
        case schedule::Kind::F:
        case schedule::Kind::redraw: return forward(action);
        case schedule::Kind::recompute: return recompute(action);
        case schedule::Kind::B:
        case schedule::Kind::BW: return backward(action);
        case schedule::Kind::W: return weights(action);
        case schedule::Kind::gather:
        case schedule::Kind::release: return move_weights(action);
        case schedule::Kind::reduce: state_->channel.drain(); return task_.reduce(action.net);
        case schedule::Kind::step: return task_.update(action.net);
    }
}

void Executor::move_weights(const schedule::Action& action) {
    StageWeights* const weights = parts(action.net).weights;
    if (weights == nullptr) return;
    if (action.kind == schedule::Kind::release) return weights->release(action.stage);
    weights->gather(action.stage);
    std::int64_t bytes = 0;
    for (const NetParts& net : nets_)
        if (net.weights != nullptr) bytes += net.weights->bytes();
    state_->peak_gathered_bytes = std::max(state_->peak_gathered_bytes, bytes);
}

void Executor::wait_for_weights(const schedule::Action& action) const {
    StageWeights* const weights = parts(action.net).weights;
    if (weights != nullptr) weights->wait(action.stage);
}

void Executor::forward(const schedule::Action& action) {
    const schedule::Action visit = schedule::visit_of(action);
    const bool redraw = action.kind == schedule::Kind::redraw;
    at::Tensor x = input_of(action);
    const bool dropped = state_->redrawn.contains(visit) && !redraw;
    const bool kept_as_input = state_->recomputed.contains(visit) && !dropped;
    if (kept_as_input) state_->inputs[visit] = x;
    nn::Stage::Context& kept = state_->kept[visit];
    at::Tensor y = through_layers(action, std::move(x), kept);
    if (!redraw && graph()[action.pass].weights) {
        std::vector<nn::Statistics> statistics;
        for (const auto& saved : kept.saved)
            statistics.insert(statistics.end(), saved.statistics.begin(), saved.statistics.end());
        task_.record_statistics(visit, statistics);
    }
    put_output(action, std::move(y));
    state_->sample_peak(action);
    if (dropped || kept_as_input) state_->kept.erase(visit);
}

void Executor::recompute(const schedule::Action& action) {
    const schedule::Action visit = schedule::visit_of(action);
    const auto input = state_->inputs.extract(visit);
    ensure(!input.empty(), "what is recomputed has kept its input");
    (void)through_layers(action, input.mapped(), state_->kept[visit]);
    state_->sample_peak(action);
}

at::Tensor Executor::through_layers(const schedule::Action& action, at::Tensor x,
                                    nn::Stage::Context& kept) const {
    const LocalStage& local = local_stage(action);
    wait_for_weights(action);
    for (std::size_t layer = 0; layer < local.layers->size(); ++layer) {
        tell_layer(layer);
        x = local.layers->forward_of(layer, x, kept);
        progress();
    }
    return x;
}

at::Tensor Executor::result_of(const schedule::Action& made) {
    if (observer_ != nullptr && !state_->channel.is_made_here(made))
        observer_->waiting_for(state_->channel.coordinate_of(made));
    return state_->channel.get(made);
}

at::Tensor Executor::input_of(const schedule::Action& action) {
    const auto get_result = [&] {
        return result_of(*schedule::producer_of_input(graph(), action, state_->channel.stages()));
    };
    if (action.stage > first_stage) return get_result();
    const auto source = graph()[action.pass].input_from;
    if (!source) return task_.input(action.pass, action.micro, {});
    const auto key = std::pair(*source, action.micro);
    at::Tensor& output = state_->outputs[key];
    if (action.pass == graph().first_consumer(*source)) output = get_result();
    ensure(output.defined(), "an output is kept until its last consumer has taken it");
    at::Tensor x = task_.input(action.pass, action.micro, output);
    if (action.pass == graph().last_consumer(*source)) state_->outputs.erase(key);
    return x;
}

void Executor::put_output(const schedule::Action& action, at::Tensor y) {
    const auto& stages = state_->channel.stages();
    if (action.stage == stages.last_of(action.net) && graph().ends_in_loss(action.pass)) {
        state_->loss_gradients[schedule::visit_of(action)] =
            task_.loss_gradient(action.pass, action.micro, y);
    } else if (const auto consumer = schedule::consumer_of_output(graph(), action, stages)) {
        state_->channel.put(action, *consumer, std::move(y));
    }
}

at::Tensor Executor::output_gradient_of(const schedule::Action& action) {
    if (const auto producer =
            schedule::producer_of_input(graph(), action, state_->channel.stages()))
        return result_of(*producer);
    auto node = state_->loss_gradients.extract(schedule::visit_of(action));
    ensure(!node.empty(), "a loss is taken before B");
    return std::move(node.mapped());
}

void Executor::put_gradient(const schedule::Action& action, at::Tensor gradient) {
    const auto consumer = schedule::consumer_of_output(graph(), action, state_->channel.stages());
    if (!consumer) return;
    if (action.stage == first_stage)
        gradient = task_.output_gradient(action.pass, action.micro, gradient);
    state_->channel.put(schedule::output_of(action), *consumer, std::move(gradient));
}

void Executor::backward(const schedule::Action& action) {
    const schedule::Action visit = schedule::visit_of(action);
    const LocalStage& local = local_stage(action);
    const bool weights = graph()[action.pass].weights;
    const bool wanted = !schedule::input_unwanted(graph(), action);
    nn::Stage::Context& kept = state_->kept.at(visit);
    at::Tensor gradient = output_gradient_of(action);
    wait_for_weights(action);
    for (std::size_t layer = local.layers->size(); layer-- > 0;) {
        tell_layer(layer);
        gradient =
            local.layers->backward_input_of(layer, std::move(gradient), kept, wanted, weights);
        if (action.kind == schedule::Kind::BW) weights_of(action, layer, kept);
        progress();
    }
    if (!weights || action.kind == schedule::Kind::BW) state_->kept.erase(visit);
    put_gradient(action, std::move(gradient));
    state_->sample_peak(action);
}

void Executor::weights(const schedule::Action& action) {
    const LocalStage& local = local_stage(action);
    auto kept = state_->kept.extract(schedule::visit_of(action));
    for (std::size_t layer = local.layers->size(); layer-- > 0;) {
        tell_layer(layer);
        weights_of(action, layer, kept.mapped());
        progress();
    }
}

void Executor::weights_of(const schedule::Action& action, std::size_t layer,
                          nn::Stage::Context& kept) {
    const LocalStage& local = local_stage(action);
    GradientAccumulator& leaves = *parts(action.net).leaves;
    const std::size_t number = local.first_layer + layer;
    local.layers->backward_weights(layer, kept, leaves.leaf(number));
    leaves.push(number);
}

}  // namespace civitas::parallel
