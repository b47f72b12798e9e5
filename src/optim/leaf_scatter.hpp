#pragma once
/// Sums of one leaf of every rank, each added up by those who own its slices.
#include "rank_sums.hpp"

#include "civitas/optim/reduction.hpp"

#include <span>
#include <vector>

namespace civitas::optim {

/// Room for one layer's leaf at a time, and its sum over the ranks of the data axis. Where others
/// read leaves there are two rooms in turn: who has come to the next sum has read the last one.
class LeafScatter {
public:
    /// `layers`: the slots of each, in order.
    LeafScatter(const net::ArenaLayout& layout, const std::vector<Range>& layers,
                const Scatter& scatter, at::ScalarType type, at::Device device);

    /// Where the leaf of a layer is written: one tensor per parameter.
    [[nodiscard]] std::span<const at::Tensor> leaf(std::size_t layer) const {
        return layers_.at(layer).views.at(turn_);
    }
    /// Adds up the leaf of a layer that has been written over all ranks; the elements that this
    /// rank owns of it, flat, are valid until the next leaf is written. Collective.
    [[nodiscard]] at::Tensor sum(std::size_t layer);
    /// The next leaf is the first of a step, on all ranks, which have met since the last one.
    void restart() {
        turn_ = 0;
        sums_.clear();
    }
    [[nodiscard]] std::int64_t bytes() const {
        return static_cast<std::int64_t>(rooms_.size() * rooms_.front().nbytes());
    }

private:
    struct Layer {
        std::int64_t elements = 0;
        std::vector<Range> slices;                   ///< by rank, of the layer's elements
        std::vector<std::vector<at::Tensor>> views;  ///< by room
        std::vector<Range> padding;                  ///< where leaves of other layers have numbers
    };
    const comm::TensorCollectives& ranks_;
    RankSums sums_;
    std::vector<at::Tensor> rooms_;
    std::size_t turn_ = 0;
    std::vector<Layer> layers_;
};

}  // namespace civitas::optim
