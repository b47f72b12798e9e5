#pragma once
/// Sums of one leaf of every rank, each added up by those who own its slices.
#include "rank_sums.hpp"

#include "civitas/base/places.hpp"
#include "civitas/optim/reduction.hpp"

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace civitas::optim {

/// A room where leaves are written one after the other, and their sums over the ranks of the data
/// axis. Between nodes the sums of some leaves are under way while the next one is written; within
/// a node, where a sum hides behind nothing, it is made at once. Where others read leaves, these
/// stay until they have: see net::leaves_in_use.
class LeafScatter {
public:
    /// `layers`: the slots of each, in order.
    LeafScatter(const net::ArenaLayout& layout, const std::vector<Range>& layers,
                const Scatter& scatter, at::ScalarType type, at::Device device);

    /// Whether there is room for the leaf of a layer beside those that are in use. There is when
    /// layers come from the last to the first, and so on again.
    [[nodiscard]] bool has_room(std::size_t layer) const;
    /// Where the leaf of a layer is written, the same until its sum begins: one tensor per
    /// parameter. Where there is no room, and no sum under way, it waits for the others: then it is
    /// collective.
    [[nodiscard]] std::span<const at::Tensor> leaf(std::size_t layer);
    /// Begins to add up the leaf of a layer that has been written over all ranks. Precondition:
    /// fewer than sums_at_once() are under way, or none. Collective.
    void begin(std::size_t layer);
    /// Moves the sums that are under way, without waiting for them.
    void progress();
    /// Waits for the oldest sum that is under way; the elements that this rank owns of it, flat,
    /// are valid until the next one begins.
    [[nodiscard]] at::Tensor finish();
    /// Sums that may be under way while the next leaf is written.
    [[nodiscard]] std::size_t sums_at_once() const noexcept {
        return behind_ ? net::sums_on_the_way : 0;
    }
    /// The next leaf is the first of a step, on all ranks, which have met since the last one.
    void restart();
    [[nodiscard]] std::int64_t bytes() const { return static_cast<std::int64_t>(room_.nbytes()); }

private:
    struct Layer {
        Range slots;
        Range elements;             ///< of the arena
        std::vector<Range> slices;  ///< by rank, of the layer's elements
    };
    struct Leaf {
        std::size_t layer = 0;
        Range place;
        std::vector<at::Tensor> views;
    };
    struct Sum {
        std::unique_ptr<RankSums> sum;
        at::Tensor own;  ///< elements of this rank
    };
    [[nodiscard]] Leaf leaf_at(std::size_t layer, Range place) const;
    void clear_places();

    net::ArenaLayout layout_;
    const comm::TensorCollectives& ranks_;
    bool node_memory_;
    bool behind_;
    std::vector<Layer> layers_;
    at::Tensor room_;
    Places places_;
    std::deque<Range> in_use_;  ///< places of the leaves before the one that is written
    std::optional<Leaf> written_;
    std::deque<Sum> sums_;  ///< under way, the oldest first
};

}  // namespace civitas::optim
