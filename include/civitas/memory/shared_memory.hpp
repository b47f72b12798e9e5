#pragma once
/// Memory that ranks share, of their node or of a GPU that all of them have.
#include "civitas/comm/communicator.hpp"

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <cstdint>
#include <memory>

namespace civitas::memory {

/// Where tensors lie that several ranks read and write, in turns that they see to themselves.
class SharedMemory {
public:
    SharedMemory(const SharedMemory&) = delete;
    SharedMemory& operator=(const SharedMemory&) = delete;
    SharedMemory(SharedMemory&&) = delete;
    SharedMemory& operator=(SharedMemory&&) = delete;
    virtual ~SharedMemory() = default;

    /// A flat array of zeros that the ranks have once, at a multiple of 4096 bytes. It ends with
    /// the tensor, on all ranks together; who is destroyed by an error leaves it to the system.
    /// Collective; throws AgreedError where there is too little room.
    [[nodiscard]] virtual at::Tensor zeros(std::int64_t elements, at::ScalarType type) const = 0;
    /// Waits until the device has done what this rank has told it to do so far: the next rank to
    /// have a turn finds all of it.
    virtual void finish() const {}

    [[nodiscard]] const comm::Communicator& ranks() const noexcept { return ranks_; }

protected:
    explicit SharedMemory(const comm::Communicator& ranks) : ranks_(ranks) {}

private:
    const comm::Communicator& ranks_;
};

/// Shares memory that `device`, the same one of all ranks, computes in. `ranks` are on one node,
/// and outlive it and its arrays. Throws Error for a GPU where this build has no CUDA.
[[nodiscard]] std::unique_ptr<SharedMemory> shared_memory(const comm::Communicator& ranks,
                                                          at::Device device);

}  // namespace civitas::memory
