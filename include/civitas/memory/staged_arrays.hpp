#pragma once
/// Arrays that lie elsewhere, as the device that computes has them: a window at a time.
#include "civitas/base/numbers.hpp"

#include <ATen/core/Tensor.h>
#include <c10/core/Stream.h>
#include <array>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace civitas::memory {

/// Windows take two lanes in turn. On a GPU each is a stream: what goes there on one lane passes
/// what comes back on the other.
class StagedArrays {
public:
    /// `elements`: of a window, where arrays are cut.
    StagedArrays(at::Device device, std::int64_t elements);
    StagedArrays(const StagedArrays&) = delete;
    StagedArrays& operator=(const StagedArrays&) = delete;
    StagedArrays(StagedArrays&&) = delete;
    StagedArrays& operator=(StagedArrays&&) = delete;
    ~StagedArrays() = default;

    /// Changes a window of some elements, of which the tensors have the values on the device.
    using Change = std::function<void(Range, std::span<const at::Tensor>)>;
    /// Changes elements `some` of `arrays`, flat and of one type, window by window; what the device
    /// was told to compute before comes first. They have the new values after finish().
    void update(std::span<const at::Tensor> arrays, Range some, const Change& change);
    /// Waits, and gives back the memory of the windows.
    void finish();

private:
    struct Lane {
        std::optional<c10::Stream> stream;  ///< none on CPUs
        std::vector<at::Tensor> windows;    ///< of each array
    };
    void open(Lane& lane, std::span<const at::Tensor> like) const;

    at::Device device_;
    std::int64_t elements_;
    std::array<Lane, 2> lanes_;
    std::size_t turn_ = 0;
};

}  // namespace civitas::memory
