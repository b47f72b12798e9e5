#include "civitas/parallel/executor.hpp"

#include "executor_state.hpp"
#include "stage_channel.hpp"

#include "civitas/base/error.hpp"
#include "civitas/schedule/actions.hpp"

#include <algorithm>
#include <utility>

namespace civitas::parallel {

Executor::Executor(NetParts generator, NetParts discriminator, StepEnvironment& environment,
                   Pipeline pipeline)
    : generator_(std::move(generator)),
      discriminator_(std::move(discriminator)),
      environment_(environment),
      state_(std::make_unique<State>(std::move(pipeline))) {
    for (const NetParts* part : {&generator_, &discriminator_}) {
        std::size_t groups = 0;
        for (const LocalStage& held : part->stages) groups += held.layers->size();
        expect(groups == part->leaves->groups(), "leaves have a group per layer");
    }
    last_stage_ = state_->channel.stages() - 1;
}

Executor::~Executor() = default;

std::int64_t Executor::peak_bytes() const noexcept { return state_->peak_bytes; }
schedule::KeptPeak Executor::peak_kept() const noexcept { return state_->peak_kept; }

const NetParts& Executor::parts(schedule::NetId net) const {
    return net == schedule::NetId::generator ? generator_ : discriminator_;
}

const LocalStage& Executor::local_stage(const schedule::Action& action) const {
    for (const LocalStage& held : parts(action.net).stages)
        if (held.stage == action.stage) return held;
    throw Error(text(to_string(action), " is not of a stage held here"));
}

void Executor::clear() {
    state_->clear();
    generator_.leaves->restart();
    discriminator_.leaves->restart();
}

void Executor::run(const std::vector<schedule::Action>& actions, Recording* recording) {
    state_->begin(actions);
    try {
        for (std::size_t i = 0; i < actions.size(); ++i) {
            state_->channel.prepare(actions, i);
            recording != nullptr ? record(actions[i], *recording) : perform(actions[i]);
            state_->note(actions[i]);
            state_->channel.poll();
        }
    } catch (...) {
        clear();
        throw;
    }
    clear();
    state_->end(actions);
}

void Executor::record(const schedule::Action& action, Recording& recording) {
    const double waited = state_->channel.waited();
    const double begin = recording.timeline.clock.seconds();
    perform(action);
    recording.actions.push_back(
        {action, begin, state_->channel.waited() - waited, recording.timeline.clock.seconds()});
}

void Executor::perform(const schedule::Action& action) {
    switch (action.kind) {
        case schedule::Kind::F:
        case schedule::Kind::redraw: return forward(action);
        case schedule::Kind::recompute: return recompute(action);
        case schedule::Kind::B:
        case schedule::Kind::BW: return backward(action);
        case schedule::Kind::W: return weights(action);
        case schedule::Kind::reduce:
            state_->channel.drain();
            return environment_.reduce(action.net, parts(action.net).leaves->sums());
        case schedule::Kind::step:
            return environment_.update(action.net, parts(action.net).leaves->sums().front());
    }
}

void Executor::forward(const schedule::Action& action) {
    const schedule::Action visit = schedule::visit_of(action);
    const bool redraw = action.kind == schedule::Kind::redraw;
    at::Tensor x = input_of(action);
    const bool dropped = state_->redrawn.contains(visit) && !redraw;
    const bool kept_as_input = state_->recomputed.contains(visit) && !dropped;
    if (kept_as_input) state_->inputs[visit] = x;
    nn::Stage::Context& kept = state_->kept[visit];
    at::Tensor y = local_stage(action).layers->forward(std::move(x), kept, state_->polling());
    if (!redraw && !schedule::passes_through(action)) {
        std::vector<nn::Statistics> statistics;
        for (const auto& saved : kept.saved)
            statistics.insert(statistics.end(), saved.statistics.begin(), saved.statistics.end());
        environment_.record_statistics(visit, statistics);
    }
    deliver(action, std::move(y));
    state_->weigh(action);
    if (dropped || kept_as_input) state_->kept.erase(visit);
}

void Executor::recompute(const schedule::Action& action) {
    const schedule::Action visit = schedule::visit_of(action);
    const auto input = state_->inputs.extract(visit);
    expect(!input.empty(), "what is recomputed has kept its input");
    (void)local_stage(action).layers->forward(input.mapped(), state_->kept[visit],
                                              state_->polling());
    state_->weigh(action);
}

at::Tensor Executor::input_of(const schedule::Action& action) {
    if (action.stage > 0)
        return state_->channel.get(*schedule::maker_of_input(action, last_stage_ + 1));
    if (schedule::is_generator(action)) return environment_.latent(action.micro);
    if (action.pass == schedule::Pass::real)
        return environment_.augment(action.pass, action.micro, environment_.real(action.micro));
    at::Tensor& fake = state_->fakes[action.micro];
    if (action.pass == schedule::Pass::fake)
        fake = state_->channel.get(*schedule::maker_of_input(action, last_stage_ + 1));
    at::Tensor image = environment_.augment(action.pass, action.micro, fake);
    if (action.pass == schedule::Pass::generate) state_->fakes.erase(action.micro);
    return image;
}

void Executor::deliver(const schedule::Action& action, at::Tensor y) {
    if (action.stage < last_stage_) {
        state_->channel.put(action, schedule::at_stage(action, action.stage + 1), std::move(y));
    } else if (!schedule::is_generator(action)) {
        state_->judged[schedule::visit_of(action)] =
            environment_.loss_gradient(action.pass, action.micro, y);
    } else if (action.kind == schedule::Kind::F) {
        state_->channel.put(action,
                            {schedule::NetId::discriminator, 0, schedule::Pass::fake,
                             schedule::Kind::F, action.micro},
                            std::move(y));
    }
}

at::Tensor Executor::output_gradient_of(const schedule::Action& action) {
    if (const auto made = schedule::maker_of_input(action, last_stage_ + 1))
        return state_->channel.get(*made);
    auto node = state_->judged.extract(schedule::visit_of(action));
    expect(!node.empty(), "D's logits are judged before B");
    return std::move(node.mapped());
}

void Executor::deliver_gradient(const schedule::Action& action, at::Tensor gradient) {
    const schedule::Action made = schedule::made_by(action);
    if (action.stage > 0) {
        state_->channel.put(made, schedule::at_stage(action, action.stage - 1),
                            std::move(gradient));
    } else if (schedule::passes_through(action)) {
        state_->channel.put(made,
                            {schedule::NetId::generator, last_stage_, schedule::Pass::generate,
                             schedule::Kind::B, action.micro},
                            environment_.augment_backward(action.micro, gradient));
    }
}

void Executor::backward(const schedule::Action& action) {
    const schedule::Action visit = schedule::visit_of(action);
    const LocalStage& held = local_stage(action);
    const bool through = schedule::passes_through(action);
    const bool wanted = action.stage > 0 || through;
    nn::Stage::Context& kept = state_->kept.at(visit);
    at::Tensor gradient = output_gradient_of(action);
    for (std::size_t layer = held.layers->size(); layer-- > 0;) {
        gradient =
            held.layers->backward_input_of(layer, std::move(gradient), kept, wanted, !through);
        if (action.kind == schedule::Kind::BW) weights_of(action, layer, kept);
        state_->channel.poll();
    }
    if (through || action.kind == schedule::Kind::BW) state_->kept.erase(visit);
    deliver_gradient(action, std::move(gradient));
    state_->weigh(action);
}

void Executor::weights(const schedule::Action& action) {
    const LocalStage& held = local_stage(action);
    auto kept = state_->kept.extract(schedule::visit_of(action));
    for (std::size_t layer = held.layers->size(); layer-- > 0;) {
        weights_of(action, layer, kept.mapped());
        state_->channel.poll();
    }
}

void Executor::weights_of(const schedule::Action& action, std::size_t layer,
                          nn::Stage::Context& kept) {
    const LocalStage& held = local_stage(action);
    LeafSum& leaves = *parts(action.net).leaves;
    const std::size_t group = held.first_group + layer;
    held.layers->backward_weights(layer, kept, leaves.leaf(group));
    leaves.push(group);
}

}  // namespace civitas::parallel
