#pragma once
/// What a rank holds of one net: weights, statistics, updater, and stages of layers that see them.
#include "civitas/nn/number_types.hpp"
#include "civitas/optim/gather_room.hpp"
#include "civitas/optim/layer_sources.hpp"
#include "civitas/optim/net_parts.hpp"
#include "civitas/optim/shared_model.hpp"
#include "civitas/optim/updater.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace civitas::optim {

struct ModelOptions {
    std::string name;  ///< part of every array's name in a checkpoint
    UpdaterOptions updater;
    net::Precision precision = net::Precision::fp32;
    at::Device device = at::kCPU;  ///< that computes
    nn::LayerOptions layers;
    Seed seed{};
    /// Where weights kept in parts are gathered, once for a node; must outlive the model.
    GatherRoom* room = nullptr;
    /// What the weights are a copy of; null: they are nobody else's. Must outlive the model.
    SharedModel* shared = nullptr;
};

/// An array of a checkpoint, or the part of one that is held here.
struct LocalArray {
    std::vector<std::int64_t> shape;  ///< of the logical array
    std::vector<Range> box;           ///< of it that is held: one range per dim
    at::Tensor view;                  ///< of the box
    const memory::OffloadMemory* offloaded_to = nullptr;
    bool split_over_tensor = false;  ///< ranks of the tensor axis hold other boxes
    bool split_over_data = false;    ///< ranks of the data axis hold other boxes
};

/// Layers of one stage of a net.
struct StageLayers {
    StageId stage{};
    net::NetDescription description;
};

class ModelState {
public:
    ModelState(std::vector<StageLayers> local_stages, const ModelOptions& options);
    /// The whole net as one stage.
    ModelState(const net::NetDescription& description, const ModelOptions& options);
    ModelState(const ModelState&) = delete;
    ModelState& operator=(const ModelState&) = delete;
    ~ModelState() = default;

    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    /// The stages held here, in ascending order.
    [[nodiscard]] const std::vector<StageLayers>& local_stages() const noexcept {
        return local_stages_;
    }
    [[nodiscard]] const net::ArenaLayout& layout() const noexcept { return layout_; }
    [[nodiscard]] int replicas() const noexcept { return static_cast<int>(stages_.size()); }
    /// What the executor of one of this rank's replicas needs; valid as long as the net.
    [[nodiscard]] NetParts parts(int replica = 0);
    /// Whether other ranks change its weights, too.
    [[nodiscard]] bool is_shared() const noexcept { return shared_ != nullptr; }
    [[nodiscard]] Updater& updater() noexcept { return *updater_; }
    [[nodiscard]] const Updater& updater() const noexcept { return *updater_; }
    /// Precondition: every rank has them whole, which it has not with ShardLevel::parameters.
    [[nodiscard]] const Arena& weights() const;
    /// Where the weights of a stage are gathered when they are needed; null where they are whole.
    [[nodiscard]] const StageWeights* stage_weights() const noexcept { return gathered_.get(); }
    /// The first parameter with a NaN or an Inf. Collective over the data axis.
    [[nodiscard]] std::optional<std::string> first_non_finite() const;
    [[nodiscard]] const Buffers& buffers() const noexcept { return buffers_; }
    /// Which of the buffers are a stage's. Throws Error for one that is not here.
    [[nodiscard]] Range buffers_of(StageId stage) const;

    /// Brings the running statistics of one stage up to date with those of each micro-batch, in the
    /// order given: see Buffers::apply. One flat vector per micro-batch: mean and variance of every
    /// batch norm, in layer order.
    void apply_statistics(StageId stage, const std::vector<at::Tensor>& flat);
    /// The mean of the statistics follows them, after so many updates.
    void mix_statistics(std::int64_t updates);
    /// Adds up the gradient of all stages held, whole. Collective over the data axis.
    void reduce();
    /// Makes the optimizer's step, and brings the compute copy and the mean of the weights up to
    /// date. Collective over the data axis.
    void update();
    /// The statistics that the net draws with: those of the mean when there is one.
    [[nodiscard]] const Buffers& drawing_statistics() const noexcept {
        return mean_buffers_ ? *mean_buffers_ : buffers_;
    }
    /// Whether it draws with a mean.
    [[nodiscard]] bool has_mean() const noexcept { return mean_buffers_.has_value(); }
    /// The stages held, as the net draws: with the mean of the weights when there is one, over
    /// `statistics`. Like those of layers_of, their layers exchange along the tensor axis.
    /// Precondition: every rank has the weights whole. Collective over the data axis.
    [[nodiscard]] std::map<StageId, nn::Stage> drawing_stages(const Buffers& statistics) const;
    /// One of these stages, for which alone weights are gathered. Precondition: ranks keep them in
    /// parts. Collective over the data axis; throws comm::Revoked as exchanges do.
    [[nodiscard]] nn::Stage drawing_stage(StageId stage, const Buffers& statistics) const;
    /// Layers of one stage as they train, one by one; with ShardLevel::parameters over a copy of
    /// the weights as they are now. Collective over the data axis.
    [[nodiscard]] std::vector<std::unique_ptr<nn::Layer>> layers_of(StageId stage) const;

    /// Every array of a checkpoint by name. Loaded ones are a state only after after_loading().
    [[nodiscard]] std::map<std::string, LocalArray> arrays() const;
    void after_loading(std::int64_t steps_done);
    /// Take over what ranks that share the model have made of it, or share what has been loaded in
    /// its place: see SharedModel. Precondition: it is shared.
    void refresh();
    void rest();
    void publish();
    /// The means of weights and statistics begin with these, which were loaded without any.
    void begin_mean();

    /// Bytes of weights, moments, means and partial sums, but for those that are offloaded; of what
    /// a node has once this rank's part.
    [[nodiscard]] std::int64_t bytes() const;
    [[nodiscard]] std::int64_t offloaded_bytes() const;

private:
    /// Changes statistics, of this rank or of all that share the model.
    void change(StatisticsKind which, const Buffers& statistics,
                const std::function<void()>& work) const;
    /// The layers held, as they draw.
    [[nodiscard]] net::NetDescription drawing_net() const;
    /// What the net's layers compute with while training.
    [[nodiscard]] LayerSources sources() const;
    [[nodiscard]] std::map<StageId, Range> slots_of_stages() const;
    /// The parameters of a stage, of an arena that ranks keep in parts, in memory of their own
    /// whatever is gathered now. Collective over the data axis.
    [[nodiscard]] std::vector<at::Tensor> whole_parameters(const ArenaShard& shard,
                                                           StageId stage) const;
    /// `all`: the layers held, by whatever kernels.
    [[nodiscard]] std::map<StageId, std::vector<std::unique_ptr<nn::Layer>>> layers_from(
        const net::NetDescription& all, const LayerSources& from,
        const nn::LayerOptions& options) const;

    std::string name_;
    at::Device device_;  ///< that computes
    std::vector<StageLayers> local_stages_;
    net::NetDescription joined_;  ///< the layers of all stages held, one after the other
    net::ArenaLayout layout_;
    std::optional<net::ArenaDivision>
        division_;  ///< of the weights, where ranks keep them in parts
    ArenaShard masters_;
    std::int64_t counted_;          ///< elements of the weights that count as this rank's
    std::optional<Arena> weights_;  ///< the masters, where they are whole
    std::optional<Arena> compute_;
    std::unique_ptr<StageWeights> gathered_;
    Buffers buffers_;
    std::optional<Buffers> mean_buffers_;
    double ema_;
    std::unique_ptr<Updater> updater_;
    SharedModel* shared_;
    const comm::TensorCollectives *data_, *tensor_;
    /// Of each replica, as the net trains, over the same weights.
    std::vector<std::map<StageId, nn::Stage>> stages_;
};

}  // namespace civitas::optim
