#pragma once
/// Who computes what, and who sends what to whom in which order: of all ranks, in every step.
#include "civitas/base/mesh_shape.hpp"
#include "civitas/base/micro_batch.hpp"
#include "civitas/net/tensor_split.hpp"
#include "civitas/planner/options.hpp"
#include "civitas/schedule/gan.hpp"
#include "civitas/schedule/message_order.hpp"

#include <vector>

namespace civitas::planner {

/// Complete when lay_out() returns it, and then never changed.
struct ExecutionLayout {
    MeshShape mesh;
    schedule::Schedule schedule;
    schedule::StagePlacement placement{1};
    std::vector<schedule::MessageOrder> messages;  ///< of each pipe coordinate
    /// Layers of each stage.
    std::vector<Range> generator_stages, discriminator_stages;
    /// How the tensor axis cuts each layer.
    net::TensorSplit generator_split, discriminator_split;

    /// Whether D's stages lie on the coordinates the other way round.
    [[nodiscard]] bool reversed() const {
        return placement.coordinate_of(schedule::gan::generator, 0) !=
               placement.coordinate_of(schedule::gan::discriminator, 0);
    }
    [[nodiscard]] const std::vector<Range>& stages_of(schedule::NetId net) const {
        return net == schedule::gan::generator ? generator_stages : discriminator_stages;
    }
    [[nodiscard]] const net::TensorSplit& split_of(schedule::NetId net) const {
        return net == schedule::gan::generator ? generator_split : discriminator_split;
    }
};

/// Of each pipe coordinate: --stage-devices, or --device for all of them. Throws UsageError for a
/// wrong number.
[[nodiscard]] std::vector<DeviceKind> stage_devices(const LayoutOptions& options, MeshShape mesh);

/// The micro-batches of a step that a rank computes.
[[nodiscard]] MicroBatchShare own_micro_batches(const Problem& problem, const MeshShape& mesh,
                                                const Coordinate& here);

/// Floating point operations of a step of the whole batch: F, B and W of G; three times F and B of
/// D and twice W. B of a first layer is only done where G learns through D.
[[nodiscard]] double flops_of_step(const net::GanDescription& gan, std::int64_t batch);

}  // namespace civitas::planner
