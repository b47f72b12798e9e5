#pragma once
/// What the passes of a rank's step read, on every device that its replicas compute on.
#include "civitas/tasks/step_inputs.hpp"

#include <map>
#include <memory>
#include <vector>

namespace civitas::tasks {

/// See StepInputs, of which there is one for each device.
class RankInputs {
public:
    using Visit = StepInputs::Visit;

    /// `devices`: of each replica; `parts`: their micro-batches.
    RankInputs(const std::vector<at::Device>& devices, const ReplicaParts& parts);

    void put_draws(const std::map<Visit, at::Tensor>& drawn);
    void put_tiles(LocalMicroBatch micro, const at::Tensor& x_BCHW) {
        of(micro).put_tiles(micro, x_BCHW);
    }
    void put_tiles_ahead(LocalMicroBatch micro, const at::Tensor& x_BCHW) {
        of(micro).put_tiles_ahead(micro, x_BCHW);
    }
    void take_tiles_ahead() {
        for (const auto& place : places_) place->take_tiles_ahead();
    }
    [[nodiscard]] const at::Tensor& draws(const Visit& visit) const {
        return of(visit.second).draws(visit);
    }
    [[nodiscard]] const at::Tensor& tiles(LocalMicroBatch micro) const {
        return of(micro).tiles(micro);
    }

private:
    [[nodiscard]] StepInputs& of(LocalMicroBatch micro) const {
        return *of_replica_.at(static_cast<std::size_t>(parts_.replica_of(micro)));
    }

    ReplicaParts parts_;
    std::vector<std::unique_ptr<StepInputs>> places_;
    std::vector<StepInputs*> of_replica_;
};

}  // namespace civitas::tasks
