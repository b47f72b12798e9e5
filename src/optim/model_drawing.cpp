#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"
#include "civitas/net/own_kernel.hpp"
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

const Buffers& ModelState::drawing_statistics() const noexcept {
    return mean_buffers_ ? *mean_buffers_ : buffers_;
}

std::map<StageId, nn::Stage> ModelState::drawing_stages(const Buffers& statistics) const {
    ensure(!division_, "weights that ranks keep in parts are gathered stage by stage");
    const std::optional<Arena> mean = updater_->whole_mean();
    const LayerSources from{(mean ? *mean : *weights_).views(), statistics};
    std::map<StageId, nn::Stage> stages;
    for (auto& [stage, layers] : layers_from(net::by_aten(joined_), from, {.tensor = tensor_}))
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
    return nn::Stage(
        std::move(layers_from(net::by_aten(joined_), from, {.tensor = tensor_}).at(stage)));
}

}  // namespace civitas::optim
