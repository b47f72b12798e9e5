#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"
#include "civitas/nn/instructions.hpp"
#include "civitas/optim/model_state.hpp"

namespace civitas::optim {

Range ModelState::buffers_of(StageId stage) const {
    std::int64_t first = 0;
    for (const StageLayers& local : local_stages_) {
        const auto count = std::ssize(net::buffers_of(local.description));
        if (local.stage == stage) return {first, count};
        first += count;
    }
    throw Error(text(name_, " holds no stage ", index(stage), " here"));
}

net::NetDescription ModelState::drawing_net() const {
    net::NetDescription all;
    for (const StageLayers& local : local_stages_)
        for (auto& layer :
             nn::for_evaluation(local.description, masters_.flat().scalar_type(), device_).layers)
            all.layers.push_back(std::move(layer));
    return all;
}

std::map<StageId, nn::Stage> ModelState::drawing_stages(const Buffers& statistics) const {
    ensure(!division_, "weights that ranks keep in parts are gathered stage by stage");
    const std::optional<Arena> mean = updater_->whole_mean();
    const LayerSources from{(mean ? *mean : *weights_).views(), statistics};
    std::map<StageId, nn::Stage> stages;
    for (auto& [stage, layers] : layers_from(drawing_net(), from, {.tensor = tensor_}))
        stages.emplace(stage, std::move(layers));
    return stages;
}

nn::Stage ModelState::drawing_stage(StageId stage, const Buffers& statistics) const {
    ensure(division_.has_value(), "weights that are whole are not gathered");
    const ArenaShard* const mean = updater_->state().mean;
    LayerSources from{gathered_->views(), statistics};
    auto place = from.parameters.begin() + slots_of_stages().at(stage).begin;
    for (at::Tensor& whole : whole_parameters(mean != nullptr ? *mean : masters_, stage))
        *place++ = std::move(whole);
    return nn::Stage(std::move(layers_from(drawing_net(), from, {.tensor = tensor_}).at(stage)));
}

}  // namespace civitas::optim
