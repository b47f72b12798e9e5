#pragma once
/// Numbers on their way from a device to the host.
#include <ATen/core/Tensor.h>
#include <c10/core/Event.h>
#include <optional>
#include <span>
#include <vector>

namespace civitas::memory {

class PendingNumbers {
public:
    /// Begins to copy flat tensors of doubles, one after the other, when their device has made what
    /// it has been given so far.
    explicit PendingNumbers(const std::vector<at::Tensor>& numbers);
    /// Waits for them. They stay where they are as long as this lives.
    [[nodiscard]] std::span<const double> wait() const;

private:
    at::Tensor host_;
    std::optional<c10::Event> copied_;  ///< of a GPU
};

}  // namespace civitas::memory
