#pragma once
/// A report on plans: every figure of them beside the same of test tiles, of training tiles, and of
/// test tiles whose pixels are shuffled.
#include "civitas/quality/figures.hpp"
#include "civitas/quality/likeness.hpp"
#include "civitas/quality/nearest.hpp"
#include "civitas/quality/obedience.hpp"
#include "civitas/quality/two_sample.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace civitas::quality {

/// Tiles as a generator draws them, and as a store keeps them: each pixel its strongest class.
struct PlanSet {
    ImageSet soft;
    std::vector<ClassMap> stored;
};

/// What is compared: equal numbers of plans, test tiles and training tiles, all of one size.
struct ReportInput {
    PlanSet plans, test, train;
    std::vector<ClassMap> learnt;          ///< training tiles in which copies are looked for
    Seed seed{};                           ///< of shuffled pixels, projections and permutations
    std::vector<WishedCover> wished = {};  ///< of each plan; none where nothing was asked
};

/// Something of each of the sets that are compared with test tiles.
template <class T>
struct PerSet {
    T plans{};
    T train{};  ///< real against real: no generator comes closer, but by chance
    T noise{};  ///< equal cover, no structure
};

/// How far values are from those of test tiles; NaN where either has none.
struct Apart {
    double ks = 0;           ///< Kolmogorov-Smirnov
    double wasserstein = 0;  ///< in the figure's unit
};

struct ReportRow {
    std::string_view key, name, unit;
    PerSet<double> mean;  ///< of a figure's values; NaN where there are none
    double test = 0;      ///< likewise, of test tiles
    PerSet<Apart> apart = {};
};

struct ReportGroup {
    std::string_view title;
    std::vector<ReportRow> rows;
};

/// Sliced Wasserstein distances to test tiles.
struct SlicedDistances {
    struct Level {
        std::int64_t pixels = 0;
        PerSet<double> distance;
    };
    std::vector<Level> levels;  ///< from full size down
    PerSet<double> mean;
};

/// A figure of a whole set.
struct OfSets {
    PerSet<double> set;
    double test = 0;
};

/// What is known both of soft and stored tiles.
struct SoftOrStored {
    OfSets building, road;  ///< mean cover, a share
    OfSets difference;      ///< mean_pairwise_difference()
    SlicedDistances sliced;
};

/// What goes on over borders of tiles (continued()); NaN where no two of a set lie side by side.
/// Noise: test tiles by chance.
struct SeamShares {
    OfSets building, road;
};

/// Mean soft cover of as many plans and tiles as it takes to know it to a few percent.
struct CoverOfMany {
    std::int64_t plans = 0, test = 0, train = 0;  ///< how many
    OfSets building, road;
};

struct Report {
    std::int64_t count = 0;   ///< of each set
    std::int64_t pixels = 0;  ///< of a side
    double pixel_metres = 0;
    SoftOrStored soft = {};
    SoftOrStored stored = {};
    std::vector<ReportGroup> groups = {};
    PerSet<Mmd> mmd = {};  ///< of all figures together, standardised by those of test tiles
    Memorisation memorisation = {};
    CoverOfMany cover = {};
    std::optional<SeamShares> seams = {};   ///< where plans lie side by side
    std::vector<Obedience> obedience = {};  ///< of plans; none where no cover was asked for
    std::optional<Likeness> likeness = {};  ///< where plans can be asked to be like a town
};

/// The pixels of each image in an order of its own, the same in every channel.
[[nodiscard]] PlanSet shuffled(const PlanSet& tiles, Seed seed);

/// Called after each of the `report_parts` parts of the work.
using Advance = std::function<void()>;
inline constexpr int report_parts = 5;

/// Throws Error, as sliced_wasserstein(), for sets that cannot be compared. Soft images take much
/// memory, and are dropped on the way.
[[nodiscard]] Report report_on(ReportInput input, const Advance& advance);

}  // namespace civitas::quality
