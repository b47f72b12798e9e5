#pragma once
/// A trained net read back from a checkpoint of any mesh, whole, on the CPU.
#include "civitas/base/log.hpp"
#include "civitas/checkpoint/checkpoint.hpp"
#include "civitas/comm/communicator.hpp"
#include "civitas/conditions/conditions.hpp"
#include "civitas/data/tile_store.hpp"
#include "civitas/optim/model_state.hpp"
#include "civitas/planner/options.hpp"
#include "civitas/tasks/augment.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace civitas::inference {

/// Means of weights and statistics where the run kept them, else the last ones; or one of both.
enum class Weights { automatic, mean, last };

/// A net of a checkpoint, and which of its weights.
struct Wanted {
    schedule::NetId net{};
    Weights weights = Weights::automatic;
};
/// What is wanted of a checkpoint that holds the nets of a problem. Throws UsageError where these
/// are others.
using Choose = std::function<Wanted(const std::filesystem::path& file, const planner::Problem&)>;
/// The generator, by automatic. Throws UsageError, with a hint, where there is none.
[[nodiscard]] Wanted generator_of(const std::filesystem::path& file,
                                  const planner::Problem& problem);
/// The classifier. Throws UsageError, with a hint, where there is none.
[[nodiscard]] Wanted classifier_of(const std::filesystem::path& file,
                                   const planner::Problem& problem);

class TrainedNet {
public:
    /// `where`: a checkpoint file or a run folder (its newest whole checkpoint). Every rank gets
    /// the whole net; with the mean of its weights, running statistics are those that they have.
    /// Collective; throws AgreedError.
    [[nodiscard]] static TrainedNet load(const comm::Communicator& world,
                                         const std::filesystem::path& where, const Choose& choose,
                                         Log& log);

    [[nodiscard]] const std::filesystem::path& file() const noexcept { return file_; }
    [[nodiscard]] const planner::Problem& problem() const noexcept { return problem_; }
    [[nodiscard]] const net::NetDescription& description() const { return problem_.nets[net_]; }
    [[nodiscard]] const checkpoint::Contents& contents() const noexcept { return contents_; }
    [[nodiscard]] bool has_mean() const noexcept { return mean_; }
    /// What plans can be asked to be like.
    [[nodiscard]] const conditions::Conditions& conditions() const noexcept { return conditions_; }
    /// The type of the weights, and of what the net is given.
    [[nodiscard]] at::TensorOptions options() const { return weights_.flat().options(); }
    /// The output for x (B,C,H,W), with running statistics and nothing dropped.
    [[nodiscard]] at::Tensor evaluate(const at::Tensor& x_BCHW) const;
    /// The same, where the bits of a sample depend on it alone.
    [[nodiscard]] at::Tensor evaluate_each(const at::Tensor& x_BCHW) const;
    /// Parameters and running statistics by their names in PyTorch, layer by layer.
    [[nodiscard]] std::vector<std::pair<std::string, at::Tensor>> arrays() const;
    /// A fact of the checkpoint as a number. Throws Error where it is none.
    [[nodiscard]] double number(const std::string& fact) const;

private:
    struct Source {
        std::filesystem::path file;
        checkpoint::Contents contents;
        planner::Problem problem;
        conditions::Conditions conditions;
    };
    [[nodiscard]] static TrainedNet load_file(const comm::Communicator& world,
                                              const std::filesystem::path& file,
                                              const Choose& choose);
    TrainedNet(Source source, Wanted wanted);
    /// Running statistics become those of the mean of the weights (nn/calibration.hpp): the mean of
    /// statistics that a checkpoint holds is of weights that have changed since.
    void calibrate();
    std::filesystem::path file_;
    checkpoint::Contents contents_;
    planner::Problem problem_;
    conditions::Conditions conditions_;
    schedule::NetId net_;
    bool mean_;
    net::ArenaLayout layout_;
    optim::Arena weights_;
    optim::Buffers buffers_;
    nn::Stage stage_;
};

/// What the plans of a generator have of the tiles that it has learnt from: the coordinate system,
/// and their size.
[[nodiscard]] data::StoreHeader ground_of(const TrainedNet& generator);

/// What plans are drawn from: noise, and behind it what is asked. Nothing in particular: to be as
/// training tiles are, where the generator is asked for something. The generator must outlive it.
[[nodiscard]] tasks::LatentOptions plan_latents(const TrainedNet& generator, Seed seed,
                                                const conditions::Wish& wish = {});

/// Plans of a generator by a range of numbers, x_BCHW in [-1, 1]: plan i depends on the seed, the
/// wish and i alone, its bits not on the number of threads either.
[[nodiscard]] at::Tensor draw(const TrainedNet& generator, Seed seed, Range plans,
                              const conditions::Wish& wish = {});
/// As many plans of one draw() are few megabytes.
inline constexpr std::int64_t plans_at_once = 32;

}  // namespace civitas::inference
