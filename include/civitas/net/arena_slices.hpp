#pragma once
/// How an arena is divided among ranks that each own a part of it.
#include "civitas/net/arena_layout.hpp"

#include <vector>

namespace civitas::net {

/// The parts of an arena that ranks own, one for each, in order; they cover it. Each begins at a
/// multiple of arena_alignment and at a row of a parameter (along its first dim, whose rows lie one
/// after the other), so that what is owned of a parameter is a box of it. Sizes differ by the
/// arena_alignment rows that this takes.
[[nodiscard]] std::vector<Range> owned_slices(const ArenaLayout& layout, int parts);

/// Elements of the largest of these parts.
[[nodiscard]] std::int64_t largest_owned_slice(const ArenaLayout& layout, int parts);

/// Elements of the layer that has most, padding included. `layers`: the slots of each.
[[nodiscard]] std::int64_t largest_layer(const ArenaLayout& layout,
                                         const std::vector<Range>& layers);

/// Rows of one parameter.
struct SlotRows {
    std::size_t slot = 0;
    Range rows;                 ///< along the parameter's first dim
    std::int64_t elements = 0;  ///< of these rows
    std::int64_t offset = 0;    ///< of the first one in the arena
};
/// What owned elements hold of each parameter. Precondition: they begin and end as owned_slices do.
[[nodiscard]] std::vector<SlotRows> rows_in(const ArenaLayout& layout, Range elements);

/// Bytes of a number of each parameter as its layer computes with it.
struct NumberBytes {
    std::int64_t of_convolutions = 4;
    std::int64_t of_others = 4;
};
/// Where consecutive parameters lie one after the other as layers compute with them, padding
/// included.
struct ComputeRoom {
    std::vector<Range> bytes;  ///< by slot, from the first of them on
    std::int64_t size = 0;     ///< bytes of them all
};
/// `layout`: of the parameters of `net`, of which `slots` are meant.
[[nodiscard]] ComputeRoom compute_room(const NetDescription& net, const ArenaLayout& layout,
                                       Range slots, NumberBytes numbers);

/// Of each slice the elements that lie in `part`; slices that have none are empty, at its ends.
[[nodiscard]] std::vector<Range> within(const std::vector<Range>& slices, Range part);
/// The same, counted from the first element of `part`.
[[nodiscard]] std::vector<Range> places_within(const std::vector<Range>& slices, Range part);

}  // namespace civitas::net
