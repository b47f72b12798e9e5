#pragma once
/// A request to stop (SIGUSR1 or SIGTERM), asked for at a moment of our choosing.
#include "civitas/base/handle.hpp"

namespace civitas {

struct DescriptorTraits {
    using type = int;
    static type null() noexcept { return -1; }
    static void destroy(type descriptor) noexcept;
};
using Descriptor = Handle<DescriptorTraits>;

/// Blocks both signals and reads them from a descriptor, so no handler and no global is needed.
/// Construct before MPI_Init and before any thread: all threads inherit the mask.
class StopSignals {
public:
    StopSignals();
    /// True once a signal has come (and ever after).
    [[nodiscard]] bool requested();

private:
    Descriptor descriptor_;
    bool seen_ = false;
};

}  // namespace civitas
