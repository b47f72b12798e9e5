#pragma once
/// Layers with explicit forward (F), backward to the input (B) and backward to the weights (W).
/// Nothing is taped: what B and W need is in SavedTensors, and its life is the caller's.
#include "civitas/base/numbers.hpp"
#include "civitas/comm/collectives.hpp"
#include "civitas/comm/communicator.hpp"
#include "civitas/net/description.hpp"

#include <ATen/core/Tensor.h>
#include <memory>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace civitas::nn {

/// Statistics of one micro-batch for the running ones: mean and unbiased variance per channel.
struct Statistics {
    at::Tensor mean_C;
    at::Tensor variance_C;
};

struct SavedTensors;
class StorageBytes;

/// The samples of a micro-batch, for layers that draw numbers in F: one after the other within the
/// run of this seed.
struct SampleRange {
    Seed seed{};
    Sample first{};
};

/// What a micro-batch keeps of consecutive layers between F, B and W.
struct KeptByLayers {
    SampleRange samples = {};         ///< that F is of; set before it
    std::vector<SavedTensors> saved;  ///< per layer, from F
    std::vector<at::Tensor> gys;      ///< per layer, from B, for W
    /// Memory that lives because of this micro-batch; what layers share counts once.
    [[nodiscard]] std::int64_t bytes() const;
    void add_to(StorageBytes& count) const;
};

/// What F leaves for B and W (B may put there what W needs instead), and what it tells about the
/// micro-batch.
struct SavedTensors {
    std::vector<at::Tensor> tensors;
    /// One of a batch norm, those of its batch norms in order of a residual block, none of others.
    std::vector<Statistics> statistics;
    std::vector<KeptByLayers> inside = {};  ///< of a residual block: of its body, of its shortcut
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

/// What of a layer must live from its B until its W: nothing, `saved`, or `saved` and `gy`.
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

    /// F of training. x: (B,C,H,W), channels-last, compute type; y likewise with the C, H and W of
    /// the output. saved: what backward_input and backward_weights will read. Statistics are those
    /// of this micro-batch; the running ones are left alone. Throws Error when a batch norm gets
    /// one value per channel, of which there is no variance.
    [[nodiscard]] virtual Forward forward(const at::Tensor& x) const = 0;
    /// The same of the samples that x has: what is drawn depends on them. forward(x) is of the
    /// first ones of seed 0.
    [[nodiscard]] virtual Forward forward_of(const at::Tensor& x,
                                             const SampleRange& /*samples*/) const {
        return forward(x);
    }
    /// The same where nobody reads x again: y may take its memory.
    [[nodiscard]] virtual Forward forward_over(at::Tensor x, const SampleRange& samples) const {
        return forward_of(std::exchange(x, {}), samples);
    }
    /// F of generation, from x to y in the shapes and types of forward(): uses running statistics,
    /// saves nothing.
    [[nodiscard]] virtual at::Tensor evaluate(const at::Tensor& x) const = 0;
    /// Whether the bits that evaluate() gives a sample depend on that sample alone: neither on the
    /// others of x nor on the number of threads.
    [[nodiscard]] virtual bool evaluates_each() const { return false; }
    /// B. gy: the gradient of y, in the shape and type of y; returns the gradient of x in those of
    /// x. Reads what F saved, and may replace it by what W needs.
    [[nodiscard]] virtual at::Tensor backward_input(const at::Tensor& gy,
                                                    SavedTensors& saved) const = 0;
    /// The same where nobody reads gy again: the gradient of x may take its memory.
    [[nodiscard]] virtual at::Tensor backward_input_over(at::Tensor gy, SavedTensors& saved) const {
        return backward_input(std::exchange(gy, {}), saved);
    }
    /// What W reads, and so must live after B.
    [[nodiscard]] virtual NeededByW needed_by_weights() const = 0;
    /// W, after B: overwrites `leaf`, this micro-batch's gradients of the parameters, one tensor
    /// per parameter in its order and shape, in the type of the weights' sums (fp32 or fp64). `gy`:
    /// as for backward_input; may be undefined where W needs no more than what B saved.
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

/// Makes the layer that a description stands for, by the kernels that it names, over views of its
/// parameters and buffers in the order and shapes of the description (ensured).
[[nodiscard]] std::unique_ptr<Layer> make_layer(const net::LayerDescription& description,
                                                LayerViews views, LayerOptions options = {});

/// A run of layers held by one pipe coordinate, as one unit of F, B and W.
class Stage {
public:
    using Context = KeptByLayers;

    explicit Stage(std::vector<std::unique_ptr<Layer>> layers);

    [[nodiscard]] std::size_t size() const noexcept { return layers_.size(); }
    /// Whether any layer has weights.
    [[nodiscard]] bool has_weights() const noexcept { return first_with_weights_ < size(); }
    /// F of all layers: x (B,C,H,W), channels-last, compute type, with the C, H and W of the
    /// stage's input; returns the same of its output. Begins `kept` anew, but for its samples;
    /// B and W will read it.
    [[nodiscard]] at::Tensor forward(at::Tensor x, Context& kept) const;
    /// F of one layer, from its own x to its own y, shaped as in Layer::forward, in the memory of x
    /// where nobody else has it. forward() is all of them from the first to the last; the first
    /// begins `kept` anew.
    [[nodiscard]] at::Tensor forward_of(std::size_t layer, at::Tensor x, Context& kept) const;
    /// F of generation through all layers, in the shapes of forward(): uses running statistics,
    /// keeps nothing.
    [[nodiscard]] at::Tensor evaluate(at::Tensor x) const;
    /// evaluate() of x (B,C,H,W), where the bits of a sample depend on that sample alone: layers
    /// that do not see to it themselves get one sample at a time, on a CPU each thread its own.
    /// Precondition: these are not collective, as residual blocks with exchanges inside would be.
    [[nodiscard]] at::Tensor evaluate_each(at::Tensor x) const;
    /// B of all layers. gy: (B,C,H,W), the gradient of the stage's output in its shape and type.
    /// Returns the gradient of the input in the shape and type of x, or an undefined tensor when
    /// `input_gradient` is false (B of the first layer with weights, and of those before it, is
    /// then left out). With `for_weights` what W needs is kept; everything else is dropped as soon
    /// as it has been used.
    [[nodiscard]] at::Tensor backward_input(at::Tensor gy, Context& kept, bool input_gradient,
                                            bool for_weights) const;
    /// B of one layer, from the gradient of its y to that of its x. backward_input() is all of them
    /// from the last to the first. Undefined gradients pass where none is wanted.
    [[nodiscard]] at::Tensor backward_input_of(std::size_t layer, at::Tensor gy, Context& kept,
                                               bool input_gradient, bool for_weights) const;
    /// W of one layer, after its B: overwrites `leaf` as Layer::backward_weights does, and drops
    /// what the layer had kept.
    void backward_weights(std::size_t layer, Context& kept, std::span<const at::Tensor> leaf) const;

private:
    std::vector<std::unique_ptr<Layer>> layers_;
    std::size_t first_with_weights_;
};

}  // namespace civitas::nn
