#pragma once
/// How an arena is divided among ranks that each own a part of it.
#include "civitas/net/arena_layout.hpp"

#include <vector>

namespace civitas::net {

/// Elements of an arena that lie in runs, and are kept one run after the other.
class ArenaRuns {
public:
    /// `runs`: in ascending order. None of them overlap.
    explicit ArenaRuns(std::vector<Range> runs);
    [[nodiscard]] const std::vector<Range>& runs() const noexcept { return runs_; }
    /// How many elements that is.
    [[nodiscard]] std::int64_t count() const noexcept { return count_; }
    /// Where what is kept of consecutive elements of the arena has its place.
    [[nodiscard]] Range places_of(Range elements) const;
    friend bool operator==(const ArenaRuns&, const ArenaRuns&) = default;

private:
    std::vector<Range> runs_;
    std::int64_t count_ = 0;
};

/// The whole arena as one run.
[[nodiscard]] ArenaRuns all_of(const ArenaLayout& layout);

/// Layers are divided together until they have so many elements.
inline constexpr std::int64_t least_block = 4096;

/// Consecutive layers of which every rank owns a part.
struct ArenaBlock {
    Range layers;
    Range elements;             ///< of the arena
    std::vector<Range> slices;  ///< by rank, of the arena: they cover the elements in order
};

/// How an arena is divided among ranks that each own a part of it: equal parts of every layer, so
/// that whoever sends a layer sends to all alike. Layers of few elements are divided together with
/// those before them. Each part begins at a multiple of arena_alignment and at a row of a parameter
/// (along its first dim, whose rows lie one after the other), so that what is owned of a parameter
/// is a box of it. What that takes from the parts of one block those of others make up for.
class ArenaDivision {
public:
    /// `layers`: the slots of each, in order, which are all of the layout.
    ArenaDivision(const ArenaLayout& layout, const std::vector<Range>& layers, int ranks);
    ArenaDivision(const NetDescription& net, int ranks);
    /// In the order of the arena.
    [[nodiscard]] const std::vector<ArenaBlock>& blocks() const noexcept { return blocks_; }
    /// A run for each block of which the rank owns any; of the only rank, one run of all.
    [[nodiscard]] ArenaRuns owned_by(int rank) const;
    /// Elements of the rank that owns most.
    [[nodiscard]] std::int64_t most() const;

private:
    std::vector<ArenaBlock> blocks_;
    int ranks_;
};

/// Runs of layers that are summed over ranks at once, as soon as W of the first of them has made
/// its leaf: blocks; or where every leaf is summed, single layers, of which slices are not told.
[[nodiscard]] std::vector<ArenaBlock> summed_blocks(const NetDescription& net, int ranks,
                                                    bool every_leaf);

/// Sums of leaves that are on their way between nodes at once.
inline constexpr int sums_on_the_way = 2;
/// Leaves that stay where they are while the next one is written: those on their way, and those
/// that ranks of the node may still read. Who waits for the sum of a leaf knows that all of the
/// node have begun it, and so have finished the one that many before.
[[nodiscard]] constexpr int leaves_in_use(bool between_nodes, bool in_node) {
    if (!between_nodes) return in_node ? 1 : 0;
    return in_node ? 2 * sums_on_the_way : sums_on_the_way;
}
/// Elements of a room where the leaves of layers that have parameters are written, from the last
/// layer to the first and so on again, beside those that are in use: see Places. `layers`: the
/// slots of each.
[[nodiscard]] std::int64_t leaf_room(const ArenaLayout& layout, const std::vector<Range>& layers,
                                     int in_use);

/// Rows of one parameter.
struct SlotRows {
    std::size_t slot = 0;
    Range rows;                 ///< along the parameter's first dim
    std::int64_t elements = 0;  ///< of these rows
    std::int64_t place = 0;     ///< of the first one among the elements that are kept
};
/// What elements hold of each parameter. Precondition: they begin and end as owned ones do.
[[nodiscard]] std::vector<SlotRows> rows_in(const ArenaLayout& layout, const ArenaRuns& kept);

/// Bytes of a number of each parameter as its layer computes with it.
struct NumberBytes {
    std::int64_t in_products = 4;  ///< of matrices
    std::int64_t of_others = 4;
};
/// Where consecutive parameters lie one after the other as layers compute with them, padding
/// included.
struct ComputeRoom {
    std::vector<Range> bytes;  ///< by slot, from the first of them on
    std::int64_t size = 0;     ///< bytes of them all
};
[[nodiscard]] ComputeRoom compute_room(const ArenaLayout& layout, Range slots, NumberBytes numbers);

/// Of each slice the elements that lie in `part`; slices that have none are empty, at its ends.
[[nodiscard]] std::vector<Range> within(const std::vector<Range>& slices, Range part);
/// The same, counted from the first element of `part`.
[[nodiscard]] std::vector<Range> places_within(const std::vector<Range>& slices, Range part);

}  // namespace civitas::net
