#pragma once
/// What goes to a GPU at the beginning of a step: tiles, and what is drawn for samples, into the
/// same memory every time.
#include "civitas/base/micro_batch.hpp"
#include "civitas/schedule/step_graph.hpp"

#include <ATen/core/Tensor.h>
#include <c10/core/Event.h>
#include <c10/core/Stream.h>
#include <map>
#include <optional>
#include <utility>

namespace civitas::tasks {

/// Copies go by the device's current stream, but those ahead of time, and nobody waits for them.
class StepInputs {
public:
    /// A pass of a micro-batch.
    using Visit = std::pair<schedule::PassId, LocalMicroBatch>;

    explicit StepInputs(at::Device device);
    StepInputs(const StepInputs&) = delete;
    StepInputs& operator=(const StepInputs&) = delete;
    /// Waits for what is on its way.
    ~StepInputs();

    /// `drawn`: what is drawn for each visit of the step, (B,N) in doubles on the CPU; the same
    /// visits and shapes in every step. In one copy.
    void put_draws(const std::map<Visit, at::Tensor>& drawn);
    /// x (B,C,H,W), fp32 on the CPU; pinned memory goes without a copy on the way.
    void put_tiles(LocalMicroBatch micro, const at::Tensor& x_BCHW);

    /// As put_tiles() for the step after this one, beside what the device computes meanwhile:
    /// take_tiles_ahead() brings them to their place. Each micro-batch once.
    void put_tiles_ahead(LocalMicroBatch micro, const at::Tensor& x_BCHW);
    void take_tiles_ahead();

    [[nodiscard]] const at::Tensor& draws(const Visit& visit) const { return draws_.at(visit); }
    [[nodiscard]] const at::Tensor& tiles(LocalMicroBatch micro) const { return tiles_.at(micro); }

private:
    using Tiles = std::map<LocalMicroBatch, at::Tensor>;

    void copy(const at::Tensor& from, const at::Tensor& to) const;
    /// Where tiles of a micro-batch lie.
    [[nodiscard]] at::Tensor& place_in(Tiles& tiles, LocalMicroBatch micro,
                                       const at::Tensor& like) const;

    at::Device device_;
    at::Tensor all_draws_;
    std::map<Visit, at::Tensor> draws_;  ///< views of it
    Tiles tiles_, ahead_;
    std::optional<c10::Stream> beside_;  ///< of a GPU, by which tiles go ahead of time
    std::optional<c10::Event> taken_;    ///< when those had been copied to their place
};

}  // namespace civitas::tasks
