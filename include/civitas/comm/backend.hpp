#pragma once
/// The way tensors travel along the axes of a mesh: directly between GPUs, or through host memory.
#include "civitas/comm/collectives.hpp"
#include "civitas/comm/point_to_point.hpp"

#include <c10/core/Device.h>
#include <memory>
#include <optional>
#include <string>

namespace civitas::comm {

class Backend {
public:
    Backend() = default;
    Backend(const Backend&) = delete;
    Backend& operator=(const Backend&) = delete;
    Backend(Backend&&) = delete;
    Backend& operator=(Backend&&) = delete;
    virtual ~Backend() = default;

    /// Makes the exchanges of tensors between the ranks of an axis, revocable where can_revoke().
    /// Collective over them.
    [[nodiscard]] virtual std::unique_ptr<TensorCollectives> collectives(
        const Communicator& axis) const = 0;
    /// Makes exchanges of tensors between the ranks of an axis of which all have some beside them
    /// that share memory; where there are no such, as collectives() does. Collective over them.
    [[nodiscard]] virtual std::unique_ptr<TensorCollectives> node_collectives(
        const Communicator& axis) const {
        return collectives(axis);
    }
    /// Makes exchanges of tensors in host memory, wherever collectives() has its own; revocable
    /// where those of this backend are. Collective over the ranks of the axis.
    [[nodiscard]] virtual std::unique_ptr<MpiCollectives> mpi_collectives(
        const Communicator& axis) const {
        return std::make_unique<MpiCollectives>(axis);
    }
    [[nodiscard]] virtual std::unique_ptr<PointToPoint> transport(
        const Communicator& axis) const = 0;
    /// Whether a rank that waits for another can be told that one has failed.
    [[nodiscard]] virtual bool can_revoke() const { return false; }
    /// Ends the waiting of all other ranks in revocable exchanges and in transports of this
    /// backend: they throw Revoked. Does nothing unless can_revoke().
    virtual void revoke() const {}
    /// Takes the notices of those who revoked. Collective over the ranks of the job.
    virtual void drain() const {}
    /// The backend in words: `NCCL 2.28.9`, `host memory (ranks 0 and 1 share a GPU)`.
    [[nodiscard]] virtual std::string name() const = 0;
};

/// Names a GPU among those of all hosts: `NCCL_HOSTID or host/PCI bus number`. Throws Error.
[[nodiscard]] std::string gpu_id(at::Device device);

/// Chooses NCCL where every rank of the job has a GPU of its own and NCCL starts on it, host memory
/// otherwise, for all axes alike: MPI moves messages only while a process polls, and one that waits
/// for what its GPU gets from another does not. GPUs are told apart by host, or NCCL_HOSTID where
/// that is set, and PCI bus number. Collective over the world; `device`: of this rank; `nodes`:
/// whose ranks share memory, none to let no ranks share any.
[[nodiscard]] std::unique_ptr<Backend> choose_backend(
    const Communicator& world, at::Device device,
    const std::optional<NodeMap>& nodes = std::nullopt);

}  // namespace civitas::comm
