#pragma once
/// What a rank trains of one net: weights, statistics, optimizer, sums of leaves, and the stages of
/// layers that see them.
#include "civitas/nn/layer.hpp"
#include "civitas/nn/number_types.hpp"
#include "civitas/parallel/arena.hpp"
#include "civitas/parallel/executor.hpp"
#include "civitas/parallel/optimizer.hpp"
#include "civitas/parallel/reduction.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace civitas::train {

/// Running statistics of a net, one small tensor per buffer.
class Buffers {
public:
    Buffers(const net::NetDescription& net, at::ScalarType type, at::Device device);
    [[nodiscard]] const std::vector<net::BufferSpec>& specs() const noexcept { return specs_; }
    [[nodiscard]] const std::vector<at::Tensor>& tensors() const noexcept { return tensors_; }
    /// this = decay * this + (1 - decay) * other.
    void mix(const Buffers& other, double decay);

private:
    std::vector<net::BufferSpec> specs_;
    std::vector<at::Tensor> tensors_;
};

/// Where layers find their numbers: an arena of parameters, maybe one of the compute type for the
/// convolutions, and statistics.
struct Sources {
    const parallel::Arena& parameters;
    const parallel::Arena* convolutions = nullptr;
    const Buffers& buffers;
};
[[nodiscard]] std::vector<std::unique_ptr<nn::Layer>> make_layers(const net::NetDescription& net,
                                                                  const Sources& from,
                                                                  const nn::LayerOptions& options);

struct NetOptions {
    std::string name;  ///< `generator` or `discriminator`: part of every array's name
    parallel::AdamOptions adam;
    double ema = 0;  ///< 0: no mean
    schedule::LeafCounts leaves;
    net::Precision precision = net::Precision::fp32;
    at::Device device = at::kCPU;
    nn::LayerOptions layers;
    Seed seed{};
};

/// An array of a checkpoint, or the part of one that is held here.
struct LocalArray {
    at::Tensor view;
    std::optional<net::ArraySlice> slice;
};

/// Layers of one stage of a net.
struct StageLayers {
    int stage = 0;
    net::NetDescription description;
};

class ModelState {
public:
    ModelState(std::vector<StageLayers> held, const NetOptions& options);
    /// The whole net as one stage.
    ModelState(const net::NetDescription& description, const NetOptions& options);
    ModelState(const ModelState&) = delete;
    ModelState& operator=(const ModelState&) = delete;
    ~ModelState() = default;

    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    /// The stages held here, in ascending order.
    [[nodiscard]] const std::vector<StageLayers>& held() const noexcept { return held_; }
    [[nodiscard]] const net::ArenaLayout& layout() const noexcept { return layout_; }
    /// What the executor needs; valid as long as the net.
    [[nodiscard]] parallel::NetParts parts();
    [[nodiscard]] parallel::LeafSum& leaves() noexcept { return leaves_; }
    [[nodiscard]] const parallel::Arena& weights() const noexcept { return weights_; }
    [[nodiscard]] const Buffers& buffers() const noexcept { return buffers_; }
    /// What its layers compute with while training.
    [[nodiscard]] Sources sources() const;

    /// running = 0.9 running + 0.1 statistic in one stage, for each micro-batch in the order given.
    /// One flat vector per micro-batch: mean and variance of every batch norm, in layer order.
    void apply_statistics(int stage, const std::vector<at::Tensor>& flat);
    /// Adam, the compute copy, the means of weights and statistics.
    void update(const at::Tensor& gradient);
    /// The net as it draws: mean of the weights and of the statistics when there is one. Like those
    /// of layers_of, its layers exchange along the tensor axis.
    [[nodiscard]] std::map<int, nn::Stage> drawing_stages() const;
    /// Layers of one stage as they train, one by one.
    [[nodiscard]] std::vector<std::unique_ptr<nn::Layer>> layers_of(int stage) const;

    /// Every array of a checkpoint by name, and back to a state that can go on.
    [[nodiscard]] std::map<std::string, LocalArray> arrays() const;
    void after_loading(std::int64_t steps_done);

    /// Bytes of weights, moments, means and partial sums.
    [[nodiscard]] std::int64_t bytes() const;

private:
    [[nodiscard]] std::map<int, std::vector<std::unique_ptr<nn::Layer>>> layers_from(
        const Sources& from, const nn::LayerOptions& options) const;
    [[nodiscard]] std::vector<at::Tensor> running_of(int stage) const;

    std::string name_;
    std::vector<StageLayers> held_;
    net::NetDescription joined_;  ///< the layers of all stages held, one after the other
    net::ArenaLayout layout_;
    parallel::Arena weights_;
    std::optional<parallel::Arena> compute_;
    Buffers buffers_;
    std::optional<Buffers> mean_buffers_;
    double ema_;
    parallel::Adam adam_;
    parallel::LeafSum leaves_;
    const comm::TensorCollectives* tensor_;
    std::map<int, nn::Stage> stages_;
};

}  // namespace civitas::train
