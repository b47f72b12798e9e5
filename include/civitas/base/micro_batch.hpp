#pragma once
/// Micro-batches by number, of a whole step (MicroBatch) and of one replica, and which of them a
/// replica computes.
#include "civitas/base/numbers.hpp"

#include <optional>

namespace civitas {

/// Number of a micro-batch within a step among those of one replica, from 0, ascending as the
/// global numbers do.
enum class LocalMicroBatch : std::int64_t {};

/// What a replica takes of the micro-batches 0, 1, 2, ... of a step.
enum class Sharing {
    contiguous,   ///< neighbours: 0 1 | 2 3
    round_robin,  ///< in turn: 0 2 | 1 3
};

/// The micro-batches of one of `parts` replicas.
class MicroBatchShare {
public:
    constexpr MicroBatchShare() = default;
    /// The share of replica `part` of `parts`. `total`: micro-batches of a step. Precondition: 0 <=
    /// part < parts.
    constexpr MicroBatchShare(std::int64_t total, int part, int parts,
                              Sharing sharing = Sharing::contiguous)
        : all_(total), part_(part), parts_(parts), sharing_(sharing) {}

    [[nodiscard]] constexpr std::int64_t count() const {
        if (sharing_ == Sharing::contiguous) return block_range(all_, part_, parts_).count;
        return (all_ - part_ + parts_ - 1) / parts_;
    }
    [[nodiscard]] constexpr MicroBatch global(LocalMicroBatch micro) const {
        if (sharing_ == Sharing::contiguous)
            return MicroBatch{block_range(all_, part_, parts_).begin + index(micro)};
        return MicroBatch{index(micro) * parts_ + part_};
    }
    /// The number of a micro-batch within this replica; nothing for one of another replica.
    [[nodiscard]] constexpr std::optional<LocalMicroBatch> local(MicroBatch micro) const {
        const std::int64_t own = sharing_ == Sharing::contiguous
                                     ? index(micro) - block_range(all_, part_, parts_).begin
                                     : (index(micro) - part_) / parts_;
        if (own < 0 || own >= count() || global(LocalMicroBatch{own}) != micro) return std::nullopt;
        return LocalMicroBatch{own};
    }

private:
    std::int64_t all_ = 0;
    int part_ = 0;
    int parts_ = 1;
    Sharing sharing_ = Sharing::contiguous;
};

/// The micro-batches of a rank that replicas in it compute at the same time: neighbours, equally
/// many each.
class ReplicaParts {
public:
    /// Precondition: `replicas` divide the micro-batches of the rank.
    constexpr ReplicaParts(std::int64_t micro_batches, int replicas)
        : of_each_(micro_batches / replicas), replicas_(replicas) {}

    /// The number within the rank of a micro-batch of a replica.
    [[nodiscard]] constexpr LocalMicroBatch of_rank(int replica, LocalMicroBatch micro) const {
        return LocalMicroBatch{replica * of_each_ + index(micro)};
    }
    [[nodiscard]] constexpr int replica_of(LocalMicroBatch of_rank) const {
        return static_cast<int>(index(of_rank) / of_each_);
    }
    /// The rank's micro-batches in the order in which replicas that are equally fast need them: the
    /// first of each, then the second of each.
    [[nodiscard]] constexpr LocalMicroBatch in_turn(std::int64_t i) const {
        return of_rank(static_cast<int>(i % replicas_), LocalMicroBatch{i / replicas_});
    }

private:
    std::int64_t of_each_;
    int replicas_;
};

}  // namespace civitas
