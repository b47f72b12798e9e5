#pragma once
/// A trained generator read back from a checkpoint, ready to draw.
#include "civitas/base/log.hpp"
#include "civitas/checkpoint/checkpoint.hpp"
#include "civitas/comm/communicator.hpp"
#include "civitas/optim/model_state.hpp"
#include "civitas/planner/options.hpp"

#include <filesystem>
#include <memory>

namespace civitas::app {

/// Means of weights and statistics where the run kept them, else the last ones.
class TrainedGenerator {
public:
    /// `where`: a checkpoint file or a run folder (its newest whole checkpoint). Collective.
    [[nodiscard]] static TrainedGenerator load(const comm::Communicator& world,
                                               const std::filesystem::path& where, Log& log);

    [[nodiscard]] const planner::Problem& problem() const noexcept { return problem_; }
    [[nodiscard]] const net::NetDescription& description() const {
        return problem_.nets[schedule::gan::generator];
    }
    [[nodiscard]] const checkpoint::Contents& contents() const noexcept { return contents_; }
    /// Plans of a range of numbers, x_BCHW in [-1, 1].
    [[nodiscard]] at::Tensor draw(Seed seed, Range plans) const;
    /// A fact of the checkpoint as a number.
    [[nodiscard]] double number(const std::string& fact) const;

private:
    [[nodiscard]] static TrainedGenerator load_file(const comm::Communicator& world,
                                                    const std::filesystem::path& file);
    TrainedGenerator(checkpoint::Contents contents, planner::Problem problem);
    checkpoint::Contents contents_;
    planner::Problem problem_;
    net::ArenaLayout layout_;
    optim::Arena weights_;
    optim::Buffers buffers_;
    nn::Stage stage_;
};

}  // namespace civitas::app
