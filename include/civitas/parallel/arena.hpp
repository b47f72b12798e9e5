#pragma once
/// All parameters of a net in one flat array. Every parameter starts at and is zero-padded to a
/// multiple of 64 elements: vectorised updates then give the same bits however the array is cut.
#include "civitas/base/numbers.hpp"
#include "civitas/nn/description.hpp"

#include <ATen/core/Tensor.h>
#include <string>
#include <vector>

namespace civitas::parallel {

inline constexpr std::int64_t arena_alignment = 64;

/// Place of one parameter.
struct Slot {
    nn::ParameterSpec parameter;
    std::int64_t offset = 0;  ///< elements, a multiple of arena_alignment
};

/// Pure: where everything lies. Never allocates what it describes.
class ArenaLayout {
public:
    explicit ArenaLayout(const std::vector<nn::ParameterSpec>& parameters);
    [[nodiscard]] const std::vector<Slot>& slots() const noexcept { return slots_; }
    /// Elements with padding.
    [[nodiscard]] std::int64_t size() const noexcept { return size_; }
    /// The part of [0, size) that rank `part` of `parts` reduces: whole multiples of the alignment.
    [[nodiscard]] std::vector<Range> slices(int parts) const;

private:
    std::vector<Slot> slots_;
    std::int64_t size_ = 0;
};

/// A flat tensor and its views: four-dimensional ones are channels-last inside their slot, and have
/// the logical shape of PyTorch outside.
class Arena {
public:
    /// Zero-filled.
    Arena(const ArenaLayout& layout, at::ScalarType type, at::Device device);
    [[nodiscard]] const at::Tensor& flat() const noexcept { return flat_; }
    [[nodiscard]] const at::Tensor& view(std::size_t slot) const { return views_.at(slot); }
    [[nodiscard]] const std::vector<at::Tensor>& views() const noexcept { return views_; }

private:
    at::Tensor flat_;
    std::vector<at::Tensor> views_;
};

/// Initial parameters by formula: Philox keyed by (seed, weights, hash of "net.name"), the logical
/// index in PyTorch order as counter.
void initialise(const Arena& arena, const ArenaLayout& layout, Seed seed,
                const std::string& net_name);

}  // namespace civitas::parallel
