#pragma once
/// A plan of several tiles that fit each other.
#include "civitas/base/log.hpp"
#include "civitas/comm/communicator.hpp"
#include "civitas/conditions/wish.hpp"
#include "civitas/data/coding.hpp"
#include "civitas/inference/trained_net.hpp"
#include "civitas/quilt/quilt.hpp"

#include <cstdint>

namespace civitas::inference {

struct GridOptions {
    quilt::GridSize tiles;
    std::int64_t candidates = 512;  ///< plans to choose from
    Seed seed{};                    ///< of the plans' noise
    conditions::Wish wish = {};     ///< what each of them is asked for
    bool post_process = true;       ///< of the whole (data::post_processed())
};

/// Where the patches of a grid lie: an overlap of 3/16 of a side.
[[nodiscard]] quilt::Layout layout_of(quilt::GridSize tiles, std::int64_t side);

/// Plans of a generator as one picture: draw()n with one seed, quilted (quilt::quilt()). Tile
/// (0, 0) lies in the north-west.
class GridPlan {
public:
    /// The ranks share the drawing; the root lays the patches. The same bits on any number of
    /// ranks. Collective; throws UsageError, with a hint, for candidates that are too few, or too
    /// many for memory, and AgreedError.
    [[nodiscard]] static GridPlan draw(const comm::Communicator& world, const TrainedNet& generator,
                                       const GridOptions& options, Log& log);

    /// A tile as a store keeps it, `pixels` a side: a multiple of the generator's side. Of the
    /// root.
    [[nodiscard]] data::Decoded tile(std::int64_t column, std::int64_t row,
                                     std::int64_t pixels) const;
    /// quilt::Quilt's, of shares of classes from 0 to 1. Of the root.
    [[nodiscard]] double overlap_error() const noexcept;

private:
    GridPlan(Coding coding, std::int64_t side) : coding_(coding), side_(side) {}

    Coding coding_;
    std::int64_t side_;
    quilt::Quilt quilt_ = {};
};

}  // namespace civitas::inference
