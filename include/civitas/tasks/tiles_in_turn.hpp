#pragma once
/// Micro-batches of tiles that come in one order and are wanted in another.
#include "civitas/base/micro_batch.hpp"

#include <ATen/core/Tensor.h>
#include <functional>
#include <map>
#include <mutex>

namespace civitas::tasks {

/// Of a rank whose replicas' threads may ask all at once.
class TilesInTurn {
public:
    /// `next` delivers the rank's micro-batches, those of replicas in turn.
    TilesInTurn(const ReplicaParts& parts, std::function<at::Tensor()> next)
        : parts_(parts), next_(std::move(next)) {}

    /// Begins a step.
    void begin() {
        early_.clear();
        read_ = 0;
    }
    /// Each micro-batch of a step once.
    [[nodiscard]] at::Tensor take(LocalMicroBatch micro) {
        const std::lock_guard lock(reading_);
        while (!early_.contains(micro)) early_[parts_.in_turn(read_++)] = next_();
        return early_.extract(micro).mapped();
    }

private:
    ReplicaParts parts_;
    std::function<at::Tensor()> next_;
    std::mutex reading_;                           ///< guards what follows
    std::map<LocalMicroBatch, at::Tensor> early_;  ///< read before their turn
    std::int64_t read_ = 0;                        ///< of this step
};

}  // namespace civitas::tasks
