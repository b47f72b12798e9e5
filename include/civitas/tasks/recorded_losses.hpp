#pragma once
/// Figures of the losses of a step, as a rank's micro-batches give them, and a loss that went bad.
#include "civitas/base/micro_batch.hpp"
#include "civitas/memory/pending_numbers.hpp"
#include "civitas/schedule/step_graph.hpp"

#include <ATen/core/Tensor.h>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace civitas::tasks {

/// A loss that is not finite.
struct LossFault {
    schedule::PassId pass{};
    LocalMicroBatch micro{};
    double loss = 0;
};

/// Figures stay on their device until somebody begins to read them, all that have come at once.
class RecordedLosses {
public:
    /// `passes`: those that end in a loss. `parts`: of the rank's micro-batches. `device`: that
    /// figures of all replicas are brought to when somebody reads them.
    RecordedLosses(std::vector<schedule::PassId> passes, const ReplicaParts& parts,
                   at::Device device = at::kCPU);

    /// Begins a step.
    void clear();
    /// `figures`: see parallel::PassLoss.
    void record(schedule::PassId pass, LocalMicroBatch micro, const at::Tensor& figures);
    /// Begins to read what has been recorded; nobody waits for it yet.
    void begin_reading();
    /// Adds the losses that have been recorded, and nobody has begun to read, to a number on their
    /// device.
    void add_to(const at::Tensor& number) const;
    /// The first loss that is not finite, of the first replica that has one. Waits for the device.
    [[nodiscard]] const std::optional<LossFault>& fault();
    /// The same of what was read so far and of what somebody began to read next.
    [[nodiscard]] const std::optional<LossFault>& next_fault();
    /// Of the first `micro_batches`, in ascending order, in each pass that ends in a loss; nothing
    /// where no losses were taken. Waits for the device.
    [[nodiscard]] std::vector<double> all(std::int64_t micro_batches);

private:
    struct Recorded {
        schedule::PassId pass{};
        LocalMicroBatch micro{};
        at::Tensor figures;
    };
    struct Asked {
        std::vector<Recorded> losses;
        memory::PendingNumbers figures;
    };
    void read();
    void look_at(const Recorded& one, std::vector<double> figures);

    std::vector<schedule::PassId> passes_;
    ReplicaParts parts_;
    at::Device device_;
    std::vector<Recorded> unread_;
    std::deque<Asked> asked_;  ///< of these, what is being read
    std::map<std::pair<schedule::PassId, LocalMicroBatch>, std::vector<double>> read_;
    std::optional<LossFault> fault_;
};

}  // namespace civitas::tasks
