#pragma once
/// What a run is made of, opened and agreed on by all ranks.
#include "plan.hpp"
#include "run_folder.hpp"
#include "setting.hpp"

#include "civitas/base/log.hpp"
#include "civitas/comm/mesh.hpp"
#include "civitas/data/tile_store.hpp"

namespace civitas::train {

struct Run {
    const Configuration& configuration;
    const Setting& setting;
    const Plan& plan;  ///< what a step should take
    const comm::Mesh& mesh;
    const RunFolder& folder;
    const data::TileStore& store;
    Log& log;
    [[nodiscard]] bool is_root() const { return mesh.world().is_root(); }
};

}  // namespace civitas::train
