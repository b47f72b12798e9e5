#pragma once
/// All parameters of a net in one flat array.
#include "civitas/base/numbers.hpp"
#include "civitas/net/arena_slices.hpp"

#include <ATen/core/Tensor.h>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace civitas::optim {

/// A flat tensor and its views: four-dimensional ones are channels-last inside their slot, and have
/// the logical shape of PyTorch outside.
class Arena {
public:
    /// An arena of its own memory, filled with zeros.
    Arena(const net::ArenaLayout& layout, at::ScalarType type, at::Device device);
    /// An arena over memory that somebody else laid out (a window shared by ranks): `flat` has one
    /// dimension, contiguous, and layout.size() elements.
    Arena(const net::ArenaLayout& layout, at::Tensor flat);
    [[nodiscard]] const at::Tensor& flat() const noexcept { return flat_; }
    [[nodiscard]] const at::Tensor& view(std::size_t slot) const { return views_.at(slot); }
    [[nodiscard]] const std::vector<at::Tensor>& views() const noexcept { return views_; }

private:
    at::Tensor flat_;
    std::vector<at::Tensor> views_;
};

/// Sets initial parameters by formula: Philox keyed by (seed, weights, hash of "net.name"), the
/// logical index in PyTorch order as counter: a part gets the numbers of its box of the whole.
/// Drawn in double, then rounded to the arena's type.
void initialise(const Arena& arena, const net::ArenaLayout& layout, Seed seed,
                const std::string& net_name);

/// Whether there is no NaN and no Inf among the values.
[[nodiscard]] bool all_finite(const at::Tensor& values);
/// On a GPU a double that is finite if all of these are, which nobody waits for; undefined on a
/// CPU.
[[nodiscard]] at::Tensor finite_on_gpu(std::span<const at::Tensor> runs);
/// Whether all of these are finite, by that number where there is one.
[[nodiscard]] bool all_finite(std::span<const at::Tensor> runs, const at::Tensor& number);

/// Name of the first parameter that has a NaN or an Inf in `flat`, weights or a gradient: the whole
/// arena, of which `kept` is looked at, or these elements alone.
[[nodiscard]] std::optional<std::string> first_non_finite(const at::Tensor& flat,
                                                          const net::ArenaLayout& layout,
                                                          const net::ArenaRuns& kept);

}  // namespace civitas::optim
