#pragma once
/// Where the parameters of a net lie in one flat array. Each starts at and is zero-padded to a
/// multiple of 64 elements: vectorised updates then give the same bits however the array is cut.
#include "civitas/base/numbers.hpp"
#include "civitas/net/description.hpp"

#include <vector>

namespace civitas::net {

inline constexpr std::int64_t arena_alignment = 64;

/// Place of one parameter.
struct Slot {
    ParameterSpec parameter;
    std::int64_t offset = 0;  ///< elements, a multiple of arena_alignment
};

/// Where each parameter of a net lies in a flat array. Pure: never allocates what it describes.
class ArenaLayout {
public:
    explicit ArenaLayout(const std::vector<ParameterSpec>& parameters);
    [[nodiscard]] const std::vector<Slot>& slots() const noexcept { return slots_; }
    /// Elements of the whole array, padding included.
    [[nodiscard]] std::int64_t size() const noexcept { return size_; }
    /// The elements of consecutive slots, padding included.
    [[nodiscard]] Range elements(Range slots) const;

private:
    std::vector<Slot> slots_;
    std::int64_t size_ = 0;
};

/// The parts of [0, elements) that ranks reduce, one for each: whole multiples of the alignment, in
/// order, sizes differing by one alignment at most. Precondition: `elements` is such a multiple,
/// too.
[[nodiscard]] std::vector<Range> aligned_slices(std::int64_t elements, int parts);

/// The slots of each layer of a net whose arena holds nn::parameters_of(net): empty for layers
/// without parameters.
[[nodiscard]] std::vector<Range> slots_of_layers(const NetDescription& net);

}  // namespace civitas::net
