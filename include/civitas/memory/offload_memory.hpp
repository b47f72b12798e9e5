#pragma once
/// Memory apart from that in which a rank computes, for what only the optimizer needs.
#include "civitas/base/numbers.hpp"
#include "civitas/base/offload.hpp"

#include <ATen/core/Tensor.h>
#include <cstdint>
#include <functional>
#include <span>

namespace civitas::memory {

class OffloadMemory {
public:
    OffloadMemory(const OffloadMemory&) = delete;
    OffloadMemory& operator=(const OffloadMemory&) = delete;
    OffloadMemory(OffloadMemory&&) = delete;
    OffloadMemory& operator=(OffloadMemory&&) = delete;
    virtual ~OffloadMemory() = default;

    /// A flat array of zeros, which CPUs can address, valid as long as it is referred to.
    /// Precondition: it has room.
    [[nodiscard]] virtual at::Tensor zeros(std::int64_t elements, at::ScalarType type) = 0;
    /// Whether arrays are computed with where they lie; windows of them go to other devices, and
    /// come back.
    [[nodiscard]] virtual bool serves(at::Device device) const = 0;

    /// Begins to bring a part of an array nearer; what lies elsewhere is left alone.
    virtual void read_ahead(const at::Tensor& /*part*/) const {}
    /// A part of an array is not needed for now; the values stay. What lies elsewhere is left
    /// alone.
    virtual void let_go(const at::Tensor& /*part*/) const {}

    /// Bytes of an array that walk() has at hand.
    [[nodiscard]] std::int64_t window() const noexcept { return window_; }

protected:
    explicit OffloadMemory(std::int64_t window) : window_(window) {}

private:
    std::int64_t window_;
};

/// The host's, as ranks that compute on a GPU use it.
class HostMemory final : public OffloadMemory {
public:
    /// `pinned`: for a GPU, where the system allows it.
    explicit HostMemory(bool pinned, std::int64_t window = offload_window_bytes)
        : OffloadMemory(window), pinned_(pinned) {}
    /// Throws std::bad_alloc.
    [[nodiscard]] at::Tensor zeros(std::int64_t elements, at::ScalarType type) override;
    [[nodiscard]] bool serves(at::Device /*device*/) const override { return false; }

private:
    bool pinned_;
};

/// Calls `work` with one run of the elements of `arrays` after the other, counted from 0. The
/// arrays are flat, of one size and type. Of those that lie in `memory` the next run is read ahead,
/// and the one behind is let go. Where there is no such memory all elements are one run.
void walk(const OffloadMemory* memory, std::span<const at::Tensor> arrays,
          const std::function<void(Range)>& work);

}  // namespace civitas::memory
