#include "civitas/optim/model_state.hpp"

#include "arena_view.hpp"

#include "civitas/base/error.hpp"
#include "civitas/net/own_kernel.hpp"

namespace civitas::optim {
namespace {

std::optional<net::ArenaDivision> division_of(const net::NetDescription& net,
                                              const UpdaterOptions& options) {
    const int ranks = options.data == nullptr ? 1 : options.data->size();
    if (level_among(ranks, options.shard) != ShardLevel::parameters) return std::nullopt;
    return net::ArenaDivision(net, ranks);
}

ArenaShard masters_of(const net::ArenaLayout& layout,
                      const std::optional<net::ArenaDivision>& division,
                      const ModelOptions& options) {
    const UpdaterOptions& updater = options.updater;
    const auto type = nn::master_type(options.precision);
    if (shares_weights(updater)) return {layout, updater.data->node_tensor(layout.size(), type)};
    if (!division) return {layout, net::all_of(layout), type, options.device};
    return {layout, division->owned_by(index(updater.data->rank())), type, options.device,
            updater.offload_to};
}

Arena compute_copy(const net::ArenaLayout& layout, const ModelOptions& options) {
    if (shares_weights(options.updater))
        return {layout, options.updater.data->node_tensor(layout.size(), at::kBFloat16)};
    return {layout, at::kBFloat16, options.device};
}

/// Of what a node has once, the elements that count as this rank's.
std::int64_t counted_elements(const net::NetDescription& net, const comm::TensorCollectives& data) {
    const NodeMap& nodes = *data.nodes();
    const auto on_node = static_cast<int>(nodes.beside(data.rank()).size());
    const auto place = static_cast<int>(nodes.place_on_node(data.rank()));
    return net::ArenaDivision(net, on_node).owned_by(place).count();
}

net::NetDescription joined(const std::vector<StageLayers>& stages) {
    net::NetDescription all;
    for (const StageLayers& stage : stages)
        all.layers.insert(all.layers.end(), stage.description.layers.begin(),
                          stage.description.layers.end());
    return all;
}

LocalArray local_array(const at::Tensor& view, const std::vector<std::int64_t>& local,
                       const std::optional<net::ArraySlice>& slice) {
    return {.shape = net::logical_shape(local, slice),
            .box = net::box_of(local, slice),
            .view = view,
            .split_over_tensor = slice.has_value()};
}

/// What a shard holds of a parameter.
LocalArray rows_of(const ArenaShard& shard, std::size_t number, const net::ArenaLayout& layout,
                   bool sharded) {
    const auto& [slot, rows, view] = shard.rows().at(number);
    const net::ParameterSpec& parameter = layout.slots()[slot].parameter;
    LocalArray array = local_array(view, parameter.shape, parameter.slice);
    array.offloaded_to = shard.offloaded_to();
    array.split_over_data = sharded;
    array.box.at(0) = {array.box.at(0).begin + rows.begin, rows.count};
    return array;
}

}  // namespace

ModelState::ModelState(const net::NetDescription& description, const ModelOptions& options)
    : ModelState(std::vector<StageLayers>{{first_stage, description}}, options) {}

ModelState::ModelState(std::vector<StageLayers> local_stages, const ModelOptions& options)
    : name_(options.name),
      device_(options.device),
      local_stages_(std::move(local_stages)),
      joined_(joined(local_stages_)),
      layout_(net::parameters_of(joined_)),
      division_(division_of(joined_, options.updater)),
      masters_(masters_of(layout_, division_, options)),
      counted_(shares_weights(options.updater) ? counted_elements(joined_, *options.updater.data)
                                               : masters_.elements().count()),
      buffers_(joined_, nn::master_type(options.precision), options.device),
      ema_(options.updater.ema),
      shared_(options.shared),
      data_(options.updater.data),
      tensor_(options.layers.tensor) {
    initialise(masters_, layout_, options.seed, name_);
    if (division_) {
        const auto low = nn::compute_type(options.precision);
        gathered_ = std::make_unique<StageWeights>(
            DividedWeights{layout_, *division_, masters_, low, device_, *data_}, slots_of_stages(),
            options.room);
    } else {
        weights_.emplace(layout_, masters_.flat());
        if (options.precision == net::Precision::bf16)
            compute_.emplace(compute_copy(layout_, options));
    }
    if (ema_ > 0)
        mean_buffers_.emplace(joined_, nn::master_type(options.precision), options.device);
    for (int replica = 0; replica < options.updater.replicas; ++replica) {
        auto& stages = stages_.emplace_back();
        for (auto& [stage, layers] : layers_from(joined_, sources(), options.layers))
            stages.emplace(stage, std::move(layers));
    }
    const Parameters parameters{layout_, masters_, compute_ ? &*compute_ : nullptr, device_};
    const auto slots = net::slots_of_layers(joined_);
    updater_ = shared_ != nullptr ? shared_->make_updater(parameters, slots, options.updater)
                                  : make_updater(parameters, slots, options.updater);
    if (shared_ != nullptr) {
        shared_->hold(StatisticsKind::running, buffers_.tensors());
        if (mean_buffers_) shared_->hold(StatisticsKind::mean, mean_buffers_->tensors());
    }
    after_loading(0);
}

LayerSources ModelState::sources() const {
    if (gathered_) return {gathered_->views(), buffers_};
    return {views_of(joined_, *weights_, compute_ ? &*compute_ : nullptr), buffers_};
}

const Arena& ModelState::weights() const {
    ensure(weights_.has_value(), "the weights are whole on every rank");
    return *weights_;
}

std::map<StageId, Range> ModelState::slots_of_stages() const {
    std::map<StageId, Range> stages;
    std::int64_t first = 0;
    for (const StageLayers& local : local_stages_) {
        const auto count = std::ssize(net::parameters_of(local.description));
        stages[local.stage] = {first, count};
        first += count;
    }
    return stages;
}

std::optional<std::string> ModelState::first_non_finite() const {
    auto mine = optim::first_non_finite(masters_.flat(), layout_, masters_.elements());
    if (!division_) return mine;
    for (const std::string& bad : data_->ranks().all_gather(mine.value_or("")))
        if (!bad.empty()) return bad;
    return std::nullopt;
}

std::map<StageId, std::vector<std::unique_ptr<nn::Layer>>> ModelState::layers_from(
    const net::NetDescription& all, const LayerSources& from,
    const nn::LayerOptions& options) const {
    auto layers = make_layers(all, from, options);
    std::map<StageId, std::vector<std::unique_ptr<nn::Layer>>> by_stage;
    auto next = layers.begin();
    for (const StageLayers& local : local_stages_)
        for (std::size_t i = local.description.layers.size(); i-- > 0;)
            by_stage[local.stage].push_back(std::move(*next++));
    return by_stage;
}

NetParts ModelState::parts(int replica) {
    NetParts parts{{}, &updater_->leaves_of(replica), gathered_.get(), device_};
    const auto& stages = stages_.at(static_cast<std::size_t>(replica));
    std::size_t layer = 0;
    for (const StageLayers& local : local_stages_) {
        parts.stages.push_back({local.stage, &stages.at(local.stage), layer});
        layer += local.description.layers.size();
    }
    return parts;
}

void ModelState::apply_statistics(StageId stage, const std::vector<at::Tensor>& flat) {
    if (shared_ != nullptr && shared_->takes_statistics(flat)) return;
    change(StatisticsKind::running, buffers_,
           [&, part = buffers_of(stage)] { buffers_.apply(part, flat); });
}

void ModelState::reduce() { updater_->reduce(); }

void ModelState::update() {
    ensure(!gathered_ || gathered_->bytes() == 0, "what is gathered does not outlive its masters");
    updater_->step();
}

void ModelState::mix_statistics(std::int64_t updates) {
    if (!mean_buffers_) return;
    const double decay = mean_decay(ema_, updates);
    change(StatisticsKind::mean, *mean_buffers_, [&] { mean_buffers_->mix(buffers_, decay); });
}

std::vector<std::unique_ptr<nn::Layer>> ModelState::layers_of(StageId stage) const {
    LayerSources from = sources();
    if (gathered_) {
        auto place = from.parameters.begin() + slots_of_stages().at(stage).begin;
        for (const at::Tensor& whole : whole_parameters(masters_, stage)) {
            *place = whole.to(place->scalar_type());
            ++place;
        }
    }
    return std::move(layers_from(joined_, from, {.tensor = tensor_}).at(stage));
}

std::vector<at::Tensor> ModelState::whole_parameters(const ArenaShard& shard, StageId stage) const {
    const Range slots = slots_of_stages().at(stage);
    const Range part = layout_.elements(slots);
    const at::Tensor flat = gathered_part({shard, *division_, *data_, device_}, part);
    std::vector<at::Tensor> whole;
    for (std::int64_t i = slots.begin; i < slots.end(); ++i) {
        const auto& [parameter, offset] = layout_.slots()[static_cast<std::size_t>(i)];
        whole.push_back(view_at(flat, offset - part.begin, parameter.shape));
    }
    return whole;
}

std::map<std::string, LocalArray> ModelState::arrays() const {
    std::map<std::string, LocalArray> all;
    const auto named = [&](auto... parts) { return text('/', name_, '/', parts...); };
    const auto add = [&](const ArenaShard& shard, bool sharded, auto&& name_of) {
        for (std::size_t i = 0; i < shard.rows().size(); ++i)
            all[name_of(layout_.slots()[shard.rows()[i].slot].parameter.name)] =
                rows_of(shard, i, layout_, sharded);
    };
    const auto [moments, mean] = updater_->state();
    const bool sharded = updater_->is_sharded();
    const auto in_folder = [&](const char* folder) {
        return [=](const std::string& parameter) { return named(folder, parameter); };
    };
    add(masters_, division_.has_value(), in_folder("parameters/"));
    for (const Moment& moment : moments)
        add(moment.values, sharded, [&](const std::string& parameter) {
            return named("optimizer/", parameter, '/', moment.name);
        });
    if (mean != nullptr) add(*mean, sharded, in_folder("ema/"));
    for (std::size_t i = 0; i < buffers_.specs().size(); ++i) {
        const auto& [buffer, elements, initial, slice] = buffers_.specs()[i];
        all[named("buffers/", buffer)] = local_array(buffers_.tensors()[i], {elements}, slice);
        if (mean_buffers_)
            all[named("ema/", buffer)] =
                local_array(mean_buffers_->tensors()[i], {elements}, slice);
    }
    return all;
}

void ModelState::begin_mean() {
    updater_->start_mean();
    if (!mean_buffers_) return;
    for (std::size_t i = 0; i < buffers_.tensors().size(); ++i)
        mean_buffers_->tensors()[i].copy_(buffers_.tensors()[i]);
}

void ModelState::after_loading(std::int64_t steps_done) {
    if (compute_) compute_->flat().copy_(masters_.flat());
    updater_->resume_after(steps_done);
}

std::int64_t ModelState::bytes() const {
    const auto bytes_of = [&](const at::Tensor& flat) {
        return counted_ * static_cast<std::int64_t>(flat.itemsize());
    };
    return (masters_.offloaded_to() == nullptr ? bytes_of(masters_.flat()) : 0) +
           (compute_ ? bytes_of(compute_->flat()) : 0) +
           (shared_ != nullptr ? shared_->bytes_of_weights() : 0) + updater_->bytes();
}

std::int64_t ModelState::offloaded_bytes() const {
    const std::int64_t own = masters_.offloaded_to() == nullptr ? 0 : masters_.bytes();
    return own + updater_->offloaded_bytes();
}

}  // namespace civitas::optim
