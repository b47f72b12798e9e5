#pragma once
/// Where the tiles of an evaluation come from.
#include "civitas/data/tile_store.hpp"
#include "civitas/inference/evaluation.hpp"
#include "civitas/inference/trained_net.hpp"
#include "civitas/quality/seams.hpp"

#include <optional>
#include <vector>

namespace civitas::inference {

/// Work of more pixels than these takes longer than people wait without a word.
inline constexpr std::int64_t many_pixels = 4'000'000;

/// Equal numbers of each.
struct EvaluationSets {
    quality::PlanSet plans, test, train;
};

[[nodiscard]] std::vector<TileIndex> all_rows(const data::TileStore& store);
/// `most` of the rows, evenly spread; all where there are no more.
[[nodiscard]] std::vector<TileIndex> spread(const std::vector<TileIndex>& rows, std::int64_t most);

/// A generator or a store, and the store that it is compared with.
class EvaluationSource {
public:
    /// Collective; throws AgreedError, with a hint, for what cannot be compared.
    [[nodiscard]] static EvaluationSource open(const comm::Communicator& world,
                                               const Comparison& compared, Log& log);

    /// Draws and reads. On one rank; throws Error.
    [[nodiscard]] EvaluationSets sets() const;
    /// The cover that each of so many plans was asked for; none where nothing was asked for.
    [[nodiscard]] std::vector<quality::WishedCover> wished(std::int64_t count) const;
    /// Training tiles to look for copies in: all, or so many, evenly spread, as can be looked
    /// through.
    [[nodiscard]] std::vector<quality::ClassMap> learnt() const;
    /// Cover of more plans and tiles than are compared otherwise. On one rank; throws Error.
    [[nodiscard]] quality::CoverOfMany cover(Log& log) const;
    /// What goes on over borders; nothing where no plans lie side by side. On one rank; throws
    /// Error.
    [[nodiscard]] std::optional<quality::SeamShares> seams() const;

    /// Plans that are asked to be like each town, beside its tiles; nothing where none can be, or
    /// the store has too few tiles of two of the towns. On one rank; throws Error.
    [[nodiscard]] std::optional<quality::Likeness> likeness() const;

private:
    EvaluationSource(const Comparison& compared, data::TileStore tiles)
        : compared_(compared), tiles_(std::move(tiles)) {}
    void require_comparable() const;
    [[nodiscard]] std::int64_t pixels() const;
    [[nodiscard]] Coding coding() const;
    [[nodiscard]] double pixel_metres() const;
    [[nodiscard]] std::int64_t count() const;
    /// Each pixel its strongest class.
    [[nodiscard]] quality::ClassMap map_of(const at::Tensor& image_CHW) const;
    [[nodiscard]] quality::PlanSet read(const data::TileStore& store,
                                        std::span<const TileIndex> rows) const;
    [[nodiscard]] quality::PlanSet set_of(const at::Tensor& x_BCHW, bool post_process) const;
    /// What a generator draws is stored after it was post-processed (data/post_process.hpp).
    [[nodiscard]] quality::PlanSet drawn(std::int64_t count, const conditions::Wish& wish) const;
    [[nodiscard]] quality::PlanSet plans(std::int64_t count) const;
    [[nodiscard]] quality::SeamTiles seam_tiles(const data::TileStore& store,
                                                const std::vector<TileIndex>& rows) const;

    Comparison compared_;
    data::TileStore tiles_;
    std::optional<TrainedNet> generator_ = {};  ///< or
    std::optional<data::TileStore> plans_ = {};
};

}  // namespace civitas::inference
