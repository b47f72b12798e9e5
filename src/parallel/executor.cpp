#include "civitas/parallel/executor.hpp"

#include "courier.hpp"
#include "held.hpp"

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
      held_(std::make_unique<Held>(std::move(pipeline))) {
    for (const NetParts* part : {&generator_, &discriminator_}) {
        std::size_t groups = 0;
        for (const HeldStage& held : part->stages) groups += held.layers->size();
        expect(groups == part->leaves->groups(), "leaves have a group per layer");
    }
    last_stage_ = held_->courier.stages() - 1;
}

Executor::~Executor() = default;

std::int64_t Executor::peak_bytes() const noexcept { return held_->peak_bytes; }
schedule::KeptPeak Executor::peak_kept() const noexcept { return held_->peak_kept; }

const NetParts& Executor::parts(schedule::Net net) const {
    return net == schedule::Net::generator ? generator_ : discriminator_;
}

const HeldStage& Executor::held_stage(const schedule::Action& action) const {
    for (const HeldStage& held : parts(action.net).stages)
        if (held.stage == action.stage) return held;
    throw Error(text(to_string(action), " is not of a stage held here"));
}

void Executor::clear() {
    held_->clear();
    generator_.leaves->restart();
    discriminator_.leaves->restart();
}

void Executor::run(const std::vector<schedule::Action>& actions, Recording* recording) {
    held_->begin(actions);
    try {
        for (std::size_t i = 0; i < actions.size(); ++i) {
            held_->courier.prepare(actions, i);
            recording != nullptr ? record(actions[i], *recording) : perform(actions[i]);
            held_->note(actions[i]);
            held_->courier.poll();
        }
    } catch (...) {
        clear();
        throw;
    }
    clear();
    held_->end(actions);
}

void Executor::record(const schedule::Action& action, Recording& recording) {
    const double waited = held_->courier.waited();
    const double begin = recording.timeline.clock.seconds();
    perform(action);
    recording.actions.push_back(
        {action, begin, held_->courier.waited() - waited, recording.timeline.clock.seconds()});
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
            held_->courier.settle();
            return environment_.reduce(action.net, parts(action.net).leaves->sums());
        case schedule::Kind::step:
            return environment_.update(action.net, parts(action.net).leaves->sums().front());
    }
}

void Executor::forward(const schedule::Action& action) {
    const schedule::Action visit = schedule::visit_of(action);
    const bool redraw = action.kind == schedule::Kind::redraw;
    at::Tensor x = input_of(action);
    const bool dropped = held_->redrawn.contains(visit) && !redraw;
    const bool kept_as_input = held_->recomputed.contains(visit) && !dropped;
    if (kept_as_input) held_->inputs[visit] = x;
    nn::Stage::Kept& kept = held_->kept[visit];
    at::Tensor y = held_stage(action).layers->forward(std::move(x), kept, held_->polling());
    if (!redraw && !schedule::passes_through(action)) {
        std::vector<nn::Statistics> statistics;
        for (const auto& saved : kept.saved)
            statistics.insert(statistics.end(), saved.statistics.begin(), saved.statistics.end());
        environment_.observe(visit, statistics);
    }
    deliver(action, std::move(y));
    held_->weigh(action);
    if (dropped || kept_as_input) held_->kept.erase(visit);
}

void Executor::recompute(const schedule::Action& action) {
    const schedule::Action visit = schedule::visit_of(action);
    const auto input = held_->inputs.extract(visit);
    expect(!input.empty(), "what is recomputed has kept its input");
    (void)held_stage(action).layers->forward(input.mapped(), held_->kept[visit], held_->polling());
    held_->weigh(action);
}

at::Tensor Executor::input_of(const schedule::Action& action) {
    if (action.stage > 0)
        return held_->courier.fetch(*schedule::maker_of_input(action, last_stage_ + 1));
    if (schedule::is_generator(action)) return environment_.latent(action.micro);
    if (action.pass == schedule::Pass::real)
        return environment_.seen(action.pass, action.micro, environment_.real(action.micro));
    at::Tensor& fake = held_->fakes[action.micro];
    if (action.pass == schedule::Pass::fake)
        fake = held_->courier.fetch(*schedule::maker_of_input(action, last_stage_ + 1));
    at::Tensor image = environment_.seen(action.pass, action.micro, fake);
    if (action.pass == schedule::Pass::generate) held_->fakes.erase(action.micro);
    return image;
}

void Executor::deliver(const schedule::Action& action, at::Tensor y) {
    if (action.stage < last_stage_) {
        held_->courier.deliver(action, schedule::at_stage(action, action.stage + 1), std::move(y));
    } else if (!schedule::is_generator(action)) {
        held_->judged[schedule::visit_of(action)] =
            environment_.judge(action.pass, action.micro, y);
    } else if (action.kind == schedule::Kind::F) {
        held_->courier.deliver(action,
                               {schedule::Net::discriminator, 0, schedule::Pass::fake,
                                schedule::Kind::F, action.micro},
                               std::move(y));
    }
}

at::Tensor Executor::output_gradient_of(const schedule::Action& action) {
    if (const auto made = schedule::maker_of_input(action, last_stage_ + 1))
        return held_->courier.fetch(*made);
    auto node = held_->judged.extract(schedule::visit_of(action));
    expect(!node.empty(), "D's logits are judged before B");
    return std::move(node.mapped());
}

void Executor::deliver_gradient(const schedule::Action& action, at::Tensor gradient) {
    const schedule::Action made = schedule::made_by(action);
    if (action.stage > 0) {
        held_->courier.deliver(made, schedule::at_stage(action, action.stage - 1),
                               std::move(gradient));
    } else if (schedule::passes_through(action)) {
        held_->courier.deliver(made,
                               {schedule::Net::generator, last_stage_, schedule::Pass::generate,
                                schedule::Kind::B, action.micro},
                               environment_.unseen(action.micro, gradient));
    }
}

void Executor::backward(const schedule::Action& action) {
    const schedule::Action visit = schedule::visit_of(action);
    const HeldStage& held = held_stage(action);
    const bool through = schedule::passes_through(action);
    const bool wanted = action.stage > 0 || through;
    nn::Stage::Kept& kept = held_->kept.at(visit);
    at::Tensor gradient = output_gradient_of(action);
    for (std::size_t layer = held.layers->size(); layer-- > 0;) {
        gradient =
            held.layers->backward_input_of(layer, std::move(gradient), kept, wanted, !through);
        if (action.kind == schedule::Kind::BW) weights_of(action, layer, kept);
        held_->courier.poll();
    }
    if (through || action.kind == schedule::Kind::BW) held_->kept.erase(visit);
    deliver_gradient(action, std::move(gradient));
    held_->weigh(action);
}

void Executor::weights(const schedule::Action& action) {
    const HeldStage& held = held_stage(action);
    auto kept = held_->kept.extract(schedule::visit_of(action));
    for (std::size_t layer = held.layers->size(); layer-- > 0;) {
        weights_of(action, layer, kept.mapped());
        held_->courier.poll();
    }
}

void Executor::weights_of(const schedule::Action& action, std::size_t layer,
                          nn::Stage::Kept& kept) {
    const HeldStage& held = held_stage(action);
    LeafSum& leaves = *parts(action.net).leaves;
    const std::size_t group = held.first_group + layer;
    held.layers->backward_weights(layer, kept, leaves.leaf(group));
    leaves.push(group);
}

}  // namespace civitas::parallel
