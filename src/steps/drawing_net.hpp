#pragma once
/// A net of a run as it draws, its stages along the pipe: with the mean of its weights when there
/// is one.
#include "civitas/optim/model_state.hpp"
#include "civitas/steps/run.hpp"
#include "civitas/tasks/pipe_view.hpp"
#include "civitas/tasks/together.hpp"

#include <functional>
#include <map>

namespace civitas::steps {

class DrawingNet {
public:
    /// `statistics` are those of its batch norms; they, `run` and `net` outlive it. Collective over
    /// the data axis.
    DrawingNet(const Run& run, const optim::ModelState& net, schedule::NetId which,
               const optim::Buffers& statistics);

    /// Whether weights are gathered for each stage of each pass, and dropped after it.
    [[nodiscard]] bool gathers() const noexcept { return gathers_; }
    /// The type and the device of what the net takes.
    [[nodiscard]] at::TensorOptions like() const;

    /// What one stage makes of its input.
    using Pass = std::function<at::Tensor(StageId, const nn::Stage&, const at::Tensor& x_BCHW)>;
    /// The output for x (B,C,H,W), on all ranks of the pipe. Collective over the mesh.
    [[nodiscard]] at::Tensor forward(const at::Tensor& x_BCHW, const tasks::Meet& meet,
                                     const Pass& pass) const;

private:
    const Run& run_;
    const optim::ModelState& net_;
    const optim::Buffers& statistics_;
    bool gathers_;
    std::map<StageId, nn::Stage> stages_;  ///< unless they are gathered
    tasks::PipeView along_;
};

}  // namespace civitas::steps
