#include "civitas/parallel/executor.hpp"

#include "civitas/base/error.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>
#include <utility>

namespace civitas::parallel {
namespace {

/// Names a micro-batch's visit of a stage: its F.
Action visit_of(Action action) {
    action.kind = Kind::F;
    return action;
}

bool in_generator(const Action& action) { return action.net == Net::generator; }
/// D's visit in G's update: a gradient passes through, no leaf is made.
bool passes_through(const Action& action) {
    return !in_generator(action) && action.pass == Pass::generate;
}

template <class Key>
at::Tensor take(std::map<Key, at::Tensor>& from, const Key& key) {
    auto node = from.extract(key);
    expect(!node.empty(), "a checked schedule makes every tensor before it is used");
    return std::move(node.mapped());
}

/// Bytes that tensors hold, each storage once however many share it.
class Weighing {
public:
    void add(const at::Tensor& tensor) {
        if (!tensor.defined()) return;
        const c10::Storage& storage = tensor.storage();
        if (seen_.insert(storage.unsafeGetStorageImpl()).second)
            bytes_ += static_cast<std::int64_t>(storage.nbytes());
    }
    void add(const nn::Stage::Kept& kept) {
        for (const auto& saved : kept.saved) {
            for (const auto& tensor : saved.tensors) add(tensor);
            for (const auto& [mean_C, variance_C] : saved.statistics) add(mean_C), add(variance_C);
        }
        for (const auto& gy : kept.gys) add(gy);
    }
    [[nodiscard]] std::int64_t bytes() const noexcept { return bytes_; }

private:
    std::unordered_set<const void*> seen_;
    std::int64_t bytes_ = 0;
};

}  // namespace

/// What lives between two actions.
struct Executor::Held {
    std::map<Action, nn::Stage::Kept> kept;
    std::map<Action, at::Tensor> gradients;  ///< of a visit's output
    std::map<MicroBatch, at::Tensor> fakes;
    std::set<Action> redrawn;     ///< visits of G whose activations are dropped after F
    std::vector<Action> weighed;  ///< the table whose peak is known: it is the same every time
    bool weighing = false;
    std::int64_t peak_bytes = 0;

    void weigh() {
        if (!weighing) return;
        Weighing scales;
        for (const auto& entry : kept) scales.add(entry.second);
        for (const auto& entry : gradients) scales.add(entry.second);
        for (const auto& entry : fakes) scales.add(entry.second);
        peak_bytes = std::max(peak_bytes, scales.bytes());
    }
    void clear() {
        kept.clear();
        gradients.clear();
        fakes.clear();
        redrawn.clear();
    }
};

Executor::Executor(NetParts generator, NetParts discriminator, StepEnvironment& environment)
    : generator_(generator),
      discriminator_(discriminator),
      environment_(environment),
      held_(std::make_unique<Held>()) {
    for (const NetParts& part : {generator, discriminator})
        expect(part.stage->size() == part.leaves->groups(), "leaves have a group per layer");
}

Executor::~Executor() = default;

std::int64_t Executor::peak_bytes() const noexcept { return held_->peak_bytes; }

const NetParts& Executor::parts(Net net) const {
    return net == Net::generator ? generator_ : discriminator_;
}

void Executor::clear() {
    held_->clear();
    generator_.leaves->restart();
    discriminator_.leaves->restart();
}

void Executor::run(const std::vector<Action>& actions) {
    held_->weighing = held_->weighed != actions;
    for (const Action& action : actions)
        if (action.kind == Kind::redraw) held_->redrawn.insert(visit_of(action));
    try {
        for (const Action& action : actions) perform(action);
    } catch (...) {
        clear();
        throw;
    }
    clear();
    held_->weighed = actions;
}

void Executor::perform(const Action& action) {
    switch (action.kind) {
        case Kind::F:
        case Kind::redraw: return forward(action);
        case Kind::B: return backward(action);
        case Kind::W: return weights(action);
        case Kind::BW: backward(action); return weights(action);
        case Kind::recompute: expect(false, "recompute is not run yet"); return;
        case Kind::reduce: return environment_.reduce(action.net, parts(action.net).leaves->sums());
        case Kind::step:
            return environment_.update(action.net, parts(action.net).leaves->sums().front());
    }
}

void Executor::forward(const Action& action) {
    const Action visit = visit_of(action);
    const bool redraw = action.kind == Kind::redraw;
    nn::Stage::Kept& kept = held_->kept[visit];
    at::Tensor y = parts(action.net).stage->forward(input_of(action), kept);
    if (!redraw && !passes_through(action)) {
        std::vector<nn::Statistics> statistics;
        for (const auto& saved : kept.saved)
            statistics.insert(statistics.end(), saved.statistics.begin(), saved.statistics.end());
        environment_.observe(action.net, action.pass, action.micro, statistics);
    }
    if (!redraw) deliver(action, std::move(y));
    held_->weigh();
    if (!redraw && held_->redrawn.contains(visit)) held_->kept.erase(visit);
}

/// Later: from the stage before, on another rank, unless this is the first.
at::Tensor Executor::input_of(const Action& action) {
    if (in_generator(action)) return environment_.latent(action.micro);
    if (action.pass == Pass::real)
        return environment_.seen(action.pass, action.micro, environment_.real(action.micro));
    at::Tensor fake = held_->fakes.at(action.micro);
    if (action.pass == Pass::generate) held_->fakes.erase(action.micro);
    return environment_.seen(action.pass, action.micro, fake);
}

/// Later: to the stage after, on another rank, unless this is the last.
void Executor::deliver(const Action& action, at::Tensor y) {
    if (in_generator(action)) {
        held_->fakes[action.micro] = std::move(y);
    } else {
        held_->gradients[visit_of(action)] = environment_.judge(action.pass, action.micro, y);
    }
}

void Executor::backward(const Action& action) {
    const Action visit = visit_of(action);
    const bool through = passes_through(action);
    at::Tensor gradient = parts(action.net)
                              .stage->backward_input(take(held_->gradients, visit),
                                                     held_->kept.at(visit), through, !through);
    if (through) {
        held_->kept.erase(visit);
        held_->gradients[{Net::generator, 0, Pass::generate, Kind::F, action.micro}] =
            environment_.unseen(action.micro, gradient);
    }
    held_->weigh();
}

void Executor::weights(const Action& action) {
    const auto& [stage, leaves] = parts(action.net);
    auto kept = held_->kept.extract(visit_of(action));
    for (std::size_t layer = stage->size(); layer-- > 0;) {
        stage->backward_weights(layer, kept.mapped(), leaves->leaf(layer));
        leaves->push(layer);
    }
}

}  // namespace civitas::parallel
