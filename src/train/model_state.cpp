#include "civitas/train/model_state.hpp"

#include "civitas/base/error.hpp"
#include "civitas/net/layer_kinds.hpp"

#include <ATen/ops/full.h>

namespace civitas::train {
namespace {

constexpr double momentum = 0.1;

std::optional<parallel::Arena> compute_arena(const net::ArenaLayout& layout,
                                             const NetOptions& options) {
    if (options.precision != net::Precision::bf16) return std::nullopt;
    return parallel::Arena(layout, at::kBFloat16, options.device);
}

net::NetDescription joined(const std::vector<StageLayers>& held) {
    net::NetDescription all;
    for (const StageLayers& stage : held)
        all.layers.insert(all.layers.end(), stage.description.layers.begin(),
                          stage.description.layers.end());
    return all;
}

}  // namespace

Buffers::Buffers(const net::NetDescription& net, at::ScalarType type, at::Device device)
    : specs_(net::buffers_of(net)) {
    for (const auto& spec : specs_)
        tensors_.push_back(at::full({spec.elements},
                                    spec.initial == net::Initializer::one ? 1.0 : 0.0,
                                    at::TensorOptions().dtype(type).device(device)));
}

void Buffers::mix(const Buffers& other, double decay) {
    for (std::size_t i = 0; i < tensors_.size(); ++i)
        tensors_[i].mul_(decay).add_(other.tensors_[i], 1 - decay);
}

std::vector<std::unique_ptr<nn::Layer>> make_layers(const net::NetDescription& net,
                                                    const Sources& from,
                                                    const nn::LayerOptions& options) {
    std::vector<std::unique_ptr<nn::Layer>> layers;
    std::size_t slot = 0;
    std::size_t buffer = 0;
    for (const auto& layer : net.layers) {
        const bool low = from.convolutions != nullptr && net::convolves(layer);
        const parallel::Arena& arena = low ? *from.convolutions : from.parameters;
        nn::LayerViews views;
        for (std::size_t i = 0; i < net::parameters_of(layer).size(); ++i)
            views.parameters.push_back(arena.view(slot++));
        for (std::size_t i = 0; i < net::buffers_of(layer).size(); ++i)
            views.buffers.push_back(from.buffers.tensors().at(buffer++));
        layers.push_back(nn::make_layer(layer, std::move(views), options));
    }
    return layers;
}

ModelState::ModelState(const net::NetDescription& description, const NetOptions& options)
    : ModelState(std::vector<StageLayers>{{0, description}}, options) {}

ModelState::ModelState(std::vector<StageLayers> held, const NetOptions& options)
    : name_(options.name),
      held_(std::move(held)),
      joined_(joined(held_)),
      layout_(net::parameters_of(joined_)),
      weights_(layout_, nn::master_type(options.precision), options.device),
      compute_(compute_arena(layout_, options)),
      buffers_(joined_, nn::master_type(options.precision), options.device),
      ema_(options.ema),
      adam_(layout_, options.adam, nn::master_type(options.precision), options.device,
            options.ema > 0 ? std::optional(options.ema) : std::nullopt),
      leaves_(layout_, net::slots_of_layers(joined_), options.leaves,
              nn::master_type(options.precision), options.device),
      tensor_(options.layers.tensor) {
    parallel::initialise(weights_, layout_, options.seed, name_);
    if (ema_ > 0)
        mean_buffers_.emplace(joined_, nn::master_type(options.precision), options.device);
    for (auto& [stage, layers] : layers_from(sources(), options.layers))
        stages_.emplace(stage, std::move(layers));
    if (ema_ > 0) adam_.start_mean(weights_);
    after_loading(0);
}

Sources ModelState::sources() const {
    return {weights_, compute_ ? &*compute_ : nullptr, buffers_};
}

std::map<int, std::vector<std::unique_ptr<nn::Layer>>> ModelState::layers_from(
    const Sources& from, const nn::LayerOptions& options) const {
    auto layers = make_layers(joined_, from, options);
    std::map<int, std::vector<std::unique_ptr<nn::Layer>>> by_stage;
    auto next = layers.begin();
    for (const StageLayers& held : held_)
        for (std::size_t i = held.description.layers.size(); i-- > 0;)
            by_stage[held.stage].push_back(std::move(*next++));
    return by_stage;
}

parallel::NetParts ModelState::parts() {
    parallel::NetParts parts{.stages = {}, .leaves = &leaves_};
    std::size_t group = 0;
    for (const StageLayers& held : held_) {
        parts.stages.push_back({held.stage, &stages_.at(held.stage), group});
        group += held.description.layers.size();
    }
    return parts;
}

std::vector<at::Tensor> ModelState::running_of(int stage) const {
    auto next = buffers_.tensors().begin();
    for (const StageLayers& held : held_) {
        const auto count = std::ssize(net::buffers_of(held.description));
        if (held.stage == stage) return {next, next + count};
        next += count;
    }
    throw Error(text(name_, " holds no stage ", stage, " here"));
}

void ModelState::apply_statistics(int stage, const std::vector<at::Tensor>& flat) {
    const auto buffers = running_of(stage);
    for (const at::Tensor& statistics : flat) {
        std::int64_t at = 0;
        for (const at::Tensor& running : buffers) {
            running.mul_(1 - momentum).add_(statistics.narrow(0, at, running.numel()), momentum);
            at += running.numel();
        }
        ensure(at == statistics.numel(), "one statistic per running one");
    }
}

void ModelState::update(const at::Tensor& gradient) {
    adam_.step(weights_, gradient, compute_ ? &*compute_ : nullptr);
    if (mean_buffers_) mean_buffers_->mix(buffers_, ema_);
}

std::map<int, nn::Stage> ModelState::drawing_stages() const {
    const bool mean = adam_.mean() != nullptr;
    std::map<int, nn::Stage> stages;
    for (auto& [stage, layers] :
         layers_from({mean ? *adam_.mean() : weights_, nullptr, mean ? *mean_buffers_ : buffers_},
                     {.tensor = tensor_}))
        stages.emplace(stage, std::move(layers));
    return stages;
}

std::vector<std::unique_ptr<nn::Layer>> ModelState::layers_of(int stage) const {
    return std::move(layers_from(sources(), {.tensor = tensor_}).at(stage));
}

std::map<std::string, LocalArray> ModelState::arrays() const {
    std::map<std::string, LocalArray> all;
    const auto named = [&](auto... parts) { return text('/', name_, '/', parts...); };
    for (std::size_t i = 0; i < layout_.slots().size(); ++i) {
        const auto& [parameter, shape, initial, slice] = layout_.slots()[i].parameter;
        all[named("parameters/", parameter)] = {weights_.view(i), slice};
        all[named("optimizer/", parameter, "/exp_avg")] = {adam_.first_moment().view(i), slice};
        all[named("optimizer/", parameter, "/exp_avg_sq")] = {adam_.second_moment().view(i), slice};
        if (adam_.mean() != nullptr) all[named("ema/", parameter)] = {adam_.mean()->view(i), slice};
    }
    for (std::size_t i = 0; i < buffers_.specs().size(); ++i) {
        const auto& [buffer, elements, initial, slice] = buffers_.specs()[i];
        all[named("buffers/", buffer)] = {buffers_.tensors()[i], slice};
        if (mean_buffers_) all[named("ema/", buffer)] = {mean_buffers_->tensors()[i], slice};
    }
    return all;
}

void ModelState::after_loading(std::int64_t steps_done) {
    if (compute_) compute_->flat().copy_(weights_.flat());
    adam_.set_steps(steps_done);
}

std::int64_t ModelState::bytes() const {
    const auto of = [](const parallel::Arena& a) {
        return static_cast<std::int64_t>(a.flat().nbytes());
    };
    return of(weights_) + of(adam_.first_moment()) + of(adam_.second_moment()) +
           (adam_.mean() != nullptr ? of(*adam_.mean()) : 0) + (compute_ ? of(*compute_) : 0) +
           leaves_.bytes();
}

}  // namespace civitas::train
