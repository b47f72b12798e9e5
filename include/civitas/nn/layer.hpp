#pragma once
/// Layers with explicit forward (F), backward to the input (B) and backward to the weights (W).
/// Nothing is taped: what B and W need is in SavedTensors, and its life is the caller's.
#include "civitas/comm/collectives.hpp"
#include "civitas/comm/communicator.hpp"
#include "civitas/net/description.hpp"

#include <ATen/core/Tensor.h>
#include <memory>
#include <set>
#include <span>
#include <vector>

namespace civitas::nn {

/// Statistics of one micro-batch for the running ones: mean and unbiased variance per channel.
struct Statistics {
    at::Tensor mean_C;
    at::Tensor variance_C;
};

/// What F leaves for B and W (B may add to it for W), and what it tells about the micro-batch.
struct SavedTensors {
    std::vector<at::Tensor> tensors;
    std::vector<Statistics> statistics;  ///< one of a batch norm, none of other layers
    [[nodiscard]] std::int64_t bytes() const;
};

/// Bytes that tensors hold: each storage once, however many share it.
class StorageBytes {
public:
    void add(const at::Tensor& tensor);
    void add(const SavedTensors& saved);
    [[nodiscard]] std::int64_t bytes() const noexcept { return bytes_; }

private:
    std::set<const void*> seen_;
    std::int64_t bytes_ = 0;
};

struct Forward {
    at::Tensor y;
    SavedTensors saved;
};

/// What must live from B until W.
enum class NeededByW { nothing, saved, saved_and_gy };

/// One layer. Parameters and running statistics are views that somebody else owns (an arena) and
/// may change between calls. Activations are channels-last; in bf16 activations and the weights of
/// convolutions are bf16, statistics, batch norm parameters and leaves fp32. A layer computes where
/// its views live.
class Layer {
public:
    Layer() = default;
    Layer(const Layer&) = delete;
    Layer& operator=(const Layer&) = delete;
    virtual ~Layer() = default;

    /// Statistics are those of this micro-batch; the running ones are left alone. Throws Error when
    /// a batch norm gets one value per channel, of which there is no variance.
    [[nodiscard]] virtual Forward forward(const at::Tensor& x) const = 0;
    /// Generation: running statistics, nothing saved.
    [[nodiscard]] virtual at::Tensor evaluate(const at::Tensor& x) const = 0;
    [[nodiscard]] virtual at::Tensor backward_input(const at::Tensor& gy,
                                                    SavedTensors& saved) const = 0;
    [[nodiscard]] virtual NeededByW needed_by_weights() const = 0;
    /// Overwrites `leaf`, one tensor per parameter in parameter order and shape. `gy` may be
    /// undefined where W needs no more than what B saved.
    virtual void backward_weights(const at::Tensor& gy, SavedTensors& saved,
                                  std::span<const at::Tensor> leaf) const = 0;
};

/// Where a layer's numbers live: one view per parameter and buffer of its description.
struct LayerViews {
    std::vector<at::Tensor> parameters;
    std::vector<at::Tensor> buffers;
};

struct LayerOptions {
    /// Ranks whose micro-batches batch norm normalises together (`--sync-batch-norm`); null: alone.
    /// F and B of batch norms are then collective over these ranks, and leaves are parts whose sum
    /// over the ranks is the gradient.
    const comm::MpiCollectives* normalise_with = nullptr;
    /// Ranks that hold the parts of a net cut by local_net(); null only for a whole one. F, B and
    /// evaluate() of exchanges are collective over these ranks.
    const comm::TensorCollectives* tensor = nullptr;
};

/// Views of other number or shape than the description's are a broken promise.
[[nodiscard]] std::unique_ptr<Layer> make_layer(const net::LayerDescription& description,
                                                LayerViews views, LayerOptions options = {});

/// A run of layers held by one pipe coordinate, as one unit of F, B and W.
class Stage {
public:
    /// What a micro-batch keeps between F, B and W.
    struct Context {
        std::vector<SavedTensors> saved;  ///< per layer, from F
        std::vector<at::Tensor> gys;      ///< per layer, from B, for W
        /// Memory that lives because of this micro-batch; what layers share counts once.
        [[nodiscard]] std::int64_t bytes() const;
        void add_to(StorageBytes& count) const;
    };

    explicit Stage(std::vector<std::unique_ptr<Layer>> layers);

    [[nodiscard]] std::size_t size() const noexcept { return layers_.size(); }
    [[nodiscard]] at::Tensor forward(at::Tensor x, Context& kept) const;
    /// One layer's part of forward, which consists of all of them from the first to the last; the
    /// first begins the context anew.
    [[nodiscard]] at::Tensor forward_of(std::size_t layer, const at::Tensor& x,
                                        Context& kept) const;
    [[nodiscard]] at::Tensor evaluate(at::Tensor x) const;
    /// Returns the gradient of the input, or an undefined tensor when `input_gradient` is false (B
    /// of the first layer with weights, and of those before it, is then left out). With
    /// `for_weights` what W needs is kept; everything else is dropped as soon as it has been used.
    [[nodiscard]] at::Tensor backward_input(at::Tensor gy, Context& kept, bool input_gradient,
                                            bool for_weights) const;
    /// One layer's part of backward_input, which consists of all of them from the last to the
    /// first. Undefined gradients pass where none is wanted.
    [[nodiscard]] at::Tensor backward_input_of(std::size_t layer, at::Tensor gy, Context& kept,
                                               bool input_gradient, bool for_weights) const;
    /// W of one layer, after B. Drops what the layer had kept.
    void backward_weights(std::size_t layer, Context& kept, std::span<const at::Tensor> leaf) const;

private:
    std::vector<std::unique_ptr<Layer>> layers_;
    std::size_t first_with_weights_;
};

}  // namespace civitas::nn
