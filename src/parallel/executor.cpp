#include "civitas/parallel/executor.hpp"

#include "gathered_nets.hpp"
#include "held_tensors.hpp"
#include "pass_graphs.hpp"
#include "stage_channel.hpp"

#include "civitas/base/error.hpp"
#include "civitas/schedule/actions.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace civitas::parallel {

class Executor::Worker {
public:
    using Action = schedule::Action;
    using Kind = schedule::Kind;

    Worker(std::vector<optim::NetParts> nets, Task& task, Pipeline pipeline)
        : held(nets.size()),
          gathered(nets),
          nets_(std::move(nets)),
          task_(task),
          graphs_(pipeline.graphs),
          channel_(std::move(pipeline)) {
        ensure(nets_.size() == graph().nets.size(), "a step has parts of every net");
        for (const optim::NetParts& net : nets_) {
            std::size_t layers = 0;
            for (const optim::LocalStage& stage : net.stages) layers += stage.layers->size();
            ensure(layers == net.leaves->layers(), "every layer has its leaves");
        }
    }

    void run(const std::vector<Action>& actions, ActionObserver& observer, Launch launch) {
        observer_ = &observer;
        held.begin(actions);
        redrawn_ = visits_with(Kind::redraw, actions);
        recomputed_ = visits_with(Kind::recompute, actions);
        try {
            for (std::size_t i = 0; i < actions.size();)
                i = launch == Launch::graphs ? launch_from(actions, i) : perform_one(actions, i);
        } catch (...) {
            clear();
            if (launch == Launch::graphs)
                graphs_.forget();  // later parts read what earlier ones keep
            throw;
        }
        clear();
        held.end(actions);
    }

    void forget_graphs() { graphs_.forget(); }
    [[nodiscard]] std::int64_t peak_message_bytes() const noexcept { return channel_.peak_bytes(); }

    HeldTensors held;
    GatheredNets gathered;

private:
    /// Returns the number of the action after those that are done.
    std::size_t perform_one(const std::vector<Action>& actions, std::size_t i) {
        channel_.prepare(actions, i);
        const double before = waited();
        observer_->begin(actions[i]);
        perform(actions[i]);
        observer_->end(actions[i], waited() - before);
        progress();
        return i + 1;
    }

    /// As perform_one(), of all passes that follow each other.
    std::size_t launch_from(const std::vector<Action>& actions, std::size_t first) {
        const auto begin = actions.begin() + static_cast<std::ptrdiff_t>(first);
        const auto end = std::find_if(begin, actions.end(),
                                      [](const Action& a) { return of_whole_net(a.kind); });
        if (begin == end) {
            // All that came by the graphs lies where it lay when they were recorded.
            if (begin->kind == Kind::reduce) parts(begin->net).leaves->recall();
            return perform_one(actions, first);
        }
        observer_->begin(*begin);
        graphs_.run(
            first, [this, begin, end] { return noted(begin, end); }, task_);
        observer_->end(*begin, 0);
        return static_cast<std::size_t>(end - actions.begin());
    }

    template <class Iterator>
    PassNotes noted(Iterator begin, Iterator end) {
        PassNotes notes;
        notes_ = &notes;
        std::for_each(begin, end, [this](const Action& action) { perform(action); });
        notes_ = nullptr;
        return notes;
    }

    void clear() {
        notes_ = nullptr;
        channel_.clear();
        held.clear();
        for (const optim::NetParts& net : nets_) net.leaves->restart();
        gathered.clear();
    }

    void perform(const Action& action) {
        switch (action.kind) {
            case Kind::F:
            case Kind::redraw: return forward(action);
            case Kind::recompute: return recompute(action);
            case Kind::B:
            case Kind::BW: return backward(action);
            case Kind::W: return weights(action);
            case Kind::gather:
            case Kind::release: return gathered.perform(action);
            case Kind::reduce: channel_.drain(); return task_.reduce(action.net);
            case Kind::step: return task_.update(action.net);
        }
    }

    void forward(const Action& action) {
        const Action visit = visit_of(action);
        const bool dropped = redrawn_.contains(visit) && action.kind == Kind::F;
        const bool kept_as_input = recomputed_.contains(visit) && !dropped;
        at::Tensor x = input_of(action);
        if (kept_as_input) held.put(Role::input, visit, x);
        nn::Stage::Context& kept = held.kept(visit);
        at::Tensor y = through_layers(action, std::move(x), kept);
        if (action.kind == Kind::F && graph()[action.pass].weights) {
            std::vector<nn::Statistics> statistics;
            for (const auto& saved : kept.saved)
                statistics.insert(statistics.end(), saved.statistics.begin(),
                                  saved.statistics.end());
            if (notes_ != nullptr)
                notes_->note_statistics(visit, statistics);
            else
                task_.record_statistics(visit, statistics);
        }
        if (action.stage == stages().last_of(action.net) && graph().ends_in_loss(action.pass))
            held.put(Role::loss, visit, loss_gradient(action, y));
        put_for_consumer(action, std::move(y));
        held.sample_peak(visit);
        if (dropped || kept_as_input) held.forget(visit);
    }

    at::Tensor loss_gradient(const Action& action, const at::Tensor& y) {
        PassLoss loss = task_.loss(action.pass, action.micro, y);
        if (notes_ != nullptr)
            notes_->note_loss(visit_of(action), loss.figures);
        else
            task_.record_loss(action.pass, action.micro, loss.figures);
        return std::move(loss.gradient);
    }

    void recompute(const Action& action) {
        const Action visit = visit_of(action);
        (void)through_layers(action, held.take(Role::input, visit), held.kept(visit));
        held.sample_peak(visit);
    }

    at::Tensor through_layers(const Action& action, at::Tensor x, nn::Stage::Context& kept) {
        const optim::LocalStage& local = local_stage(action);
        kept.samples = task_.samples(action.pass, action.micro);
        gathered.wait_for(action);
        for (std::size_t layer = 0; layer < local.layers->size(); ++layer) {
            observer_->at_layer(layer);
            x = local.layers->forward_of(layer, std::move(x), kept);
            progress();
        }
        return x;
    }

    void backward(const Action& action) {
        const Action visit = visit_of(action);
        const optim::LocalStage& local = local_stage(action);
        const bool weights = graph()[action.pass].weights;
        const bool wanted = !input_unwanted(graph(), action);
        const auto producer = producer_of_input(graph(), action, stages());
        at::Tensor gradient = producer ? result_of(*producer) : held.take(Role::loss, visit);
        nn::Stage::Context& kept = held.kept(visit);
        gathered.wait_for(action);
        for (std::size_t layer = local.layers->size(); layer-- > 0;) {
            observer_->at_layer(layer);
            gradient =
                local.layers->backward_input_of(layer, std::move(gradient), kept, wanted, weights);
            if (action.kind == Kind::BW) weights_of(action, layer, kept);
            progress();
        }
        if (!weights || action.kind == Kind::BW) held.forget(visit);
        if (wanted && action.stage == first_stage)
            gradient = task_.output_gradient(action.pass, action.micro, gradient);
        put_for_consumer(action, std::move(gradient));
        held.sample_peak(visit);
    }

    void weights(const Action& action) {
        nn::Stage::Context& kept = held.kept(visit_of(action));
        for (std::size_t layer = local_stage(action).layers->size(); layer-- > 0;) {
            observer_->at_layer(layer);
            weights_of(action, layer, kept);
            progress();
        }
        held.forget(visit_of(action));
    }

    void weights_of(const Action& action, std::size_t layer, nn::Stage::Context& kept) {
        const optim::LocalStage& local = local_stage(action);
        optim::GradientAccumulator& leaves = *parts(action.net).leaves;
        const std::size_t number = local.first_layer + layer;
        local.layers->backward_weights(layer, kept, leaves.leaf(number));
        leaves.push(number);
    }

    /// Of a net's first stage: what the task makes of its data, or of another pass' output, which
    /// is kept for all that take it.
    at::Tensor input_of(const Action& action) {
        const auto producer = producer_of_input(graph(), action, stages());
        if (action.stage > first_stage) return result_of(*producer);
        const auto source = graph()[action.pass].input_from;
        if (!source) return task_.input(action.pass, action.micro, {});
        const Action of_source{.pass = *source, .micro = action.micro};
        if (producer) held.put(Role::output, of_source, result_of(*producer));
        at::Tensor x = task_.input(action.pass, action.micro, held.get(Role::output, of_source));
        if (action.pass == graph().last_consumer(*source)) (void)held.take(Role::output, of_source);
        return x;
    }

    /// What an action made, waited for.
    at::Tensor result_of(const Action& made) {
        if (channel_.is_here(made)) return held.take(Role::here, made);
        observer_->waiting_for(channel_.coordinate_of(made));
        return channel_.receive(made);
    }

    void put_for_consumer(const Action& action, at::Tensor result) {
        const auto consumer = consumer_of_output(graph(), action, stages());
        if (!consumer) return;
        if (channel_.is_here(*consumer))
            held.put(Role::here, output_of(action), std::move(result));
        else
            channel_.send(output_of(action), channel_.coordinate_of(*consumer), result);
    }

    void progress() const {
        if (notes_ != nullptr) return;  // what is being recorded is replayed without it
        channel_.progress();
        gathered.progress();
        for (const optim::NetParts& net : nets_) net.leaves->progress();
    }
    /// Seconds spent waiting so far, for messages and for weights.
    [[nodiscard]] double waited() const noexcept { return channel_.waited() + gathered.waited(); }
    [[nodiscard]] const schedule::StepGraph& graph() const { return channel_.graph(); }
    [[nodiscard]] const schedule::StageCounts& stages() const { return channel_.stages(); }
    [[nodiscard]] const optim::NetParts& parts(schedule::NetId net) const {
        return nets_.at(static_cast<std::size_t>(net));
    }
    [[nodiscard]] const optim::LocalStage& local_stage(const Action& action) const {
        for (const optim::LocalStage& stage : parts(action.net).stages)
            if (stage.stage == action.stage) return stage;
        throw Error(text(to_string(graph(), action), " is not of a stage held here"));
    }

    std::vector<optim::NetParts> nets_;
    Task& task_;
    PassGraphs graphs_;
    StageChannel channel_;
    ActionObserver* observer_ = nullptr;  ///< of the run that is going on
    PassNotes* notes_ = nullptr;          ///< of passes that are being recorded
    std::set<Action> redrawn_;            ///< visits whose activations are dropped after F
    std::set<Action> recomputed_;         ///< visits of which only the input is kept
};

Executor::Executor(std::vector<optim::NetParts> nets, Task& task, Pipeline pipeline)
    : worker_(std::make_unique<Worker>(std::move(nets), task, std::move(pipeline))) {}

Executor::~Executor() = default;

void Executor::forget_graphs() { worker_->forget_graphs(); }

std::int64_t Executor::peak_bytes() const noexcept { return worker_->held.peak_bytes(); }
std::int64_t Executor::peak_gathered_bytes() const noexcept {
    return worker_->gathered.peak_bytes();
}
std::int64_t Executor::peak_message_bytes() const noexcept { return worker_->peak_message_bytes(); }
const schedule::KeptPeak& Executor::peak_kept() const noexcept { return worker_->held.peak_kept(); }

void Executor::run(const std::vector<schedule::Action>& actions, ActionObserver* observer,
                   Launch launch) {
    ActionObservers nobody;
    worker_->run(actions, observer != nullptr ? *observer : nobody, launch);
}

}  // namespace civitas::parallel
