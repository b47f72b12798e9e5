#pragma once
/// Whether the passes of a run are launched as CUDA graphs, and from which step on.
#include "civitas/gpu/graph.hpp"
#include "civitas/parallel/executor.hpp"
#include "civitas/steps/run.hpp"

#include <optional>

namespace civitas::steps {

class PassLaunch {
public:
    /// While it lives, this thread gives its work to a stream of its own, where there are graphs.
    explicit PassLaunch(const Run& run);

    /// Null: none are recorded.
    [[nodiscard]] const gpu::MakeGraph& graphs() const noexcept { return graphs_; }
    /// Of the next step. `watched`: somebody looks at its actions one by one.
    [[nodiscard]] parallel::Launch next(bool watched);

private:
    std::optional<gpu::OwnStream> stream_;
    gpu::MakeGraph graphs_;
    int steps_ = 0;
};

}  // namespace civitas::steps
