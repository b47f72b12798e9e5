#pragma once
/// What the ranks agree on before anything is allocated: mesh, threads, device, table of actions.
#include "options.hpp"

#include "civitas/base/mesh_shape.hpp"
#include "civitas/base/micro_batch.hpp"
#include "civitas/nn/tensor.hpp"
#include "civitas/parallel/message_order.hpp"

#include <optional>
#include <string>
#include <vector>

namespace civitas::train {

struct Setting {
    MeshShape mesh;
    std::optional<int> gpu;                 ///< number of the GPU that this rank computes on
    std::vector<DeviceKind> stage_devices;  ///< of each pipe coordinate
    int threads = 1;
    std::string instruction_set;
    parallel::Schedule schedule;
    parallel::Placement placement{1};
    std::vector<parallel::MessageOrder> messages;  ///< of each pipe coordinate
    /// Layers of each stage.
    std::vector<Range> generator_stages, discriminator_stages;
    /// How the tensor axis cuts each layer.
    nn::TensorPlan generator_cuts, discriminator_cuts;

    /// Whether D's stages lie on the coordinates the other way round.
    [[nodiscard]] bool reversed() const {
        return placement.coordinate_of(parallel::Net::generator, 0) !=
               placement.coordinate_of(parallel::Net::discriminator, 0);
    }
    [[nodiscard]] const std::vector<Range>& stages_of(parallel::Net net) const {
        return net == parallel::Net::generator ? generator_stages : discriminator_stages;
    }
    [[nodiscard]] const nn::TensorPlan& cuts_of(parallel::Net net) const {
        return net == parallel::Net::generator ? generator_cuts : discriminator_cuts;
    }
};

/// The micro-batches of a step that a rank computes.
[[nodiscard]] MicroBatchShare own_micro_batches(const Problem& problem, const MeshShape& mesh,
                                                const Coordinate& here);

/// Floating point operations of a step of the whole batch: F, B and W of G; three times F and B of
/// D and twice W. B of a first layer is only done where G learns through D.
[[nodiscard]] double flops_of_step(const nn::GanDescription& gan, std::int64_t batch);

}  // namespace civitas::train
