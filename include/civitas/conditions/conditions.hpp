#pragma once
/// What plans are asked to be like, and the numbers by which a GAN is told. Pure.
#include "civitas/base/condition_kind.hpp"
#include "civitas/base/numbers.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace civitas::conditions {

/// Shares of a tile, 0 to 1.
struct Cover {
    double building = 0;
    double road = 0;
};
/// One of the sources of a tile store, by its place in the list of their names.
enum class Source : std::size_t {};
/// What one plan is asked to be like, if anything.
using Wish = std::variant<std::monostate, Cover, Source>;

/// Mean and standard deviation of a share over the training tiles.
struct Scale {
    double mean = 0;
    double deviation = 1;
    [[nodiscard]] double standardised(double share) const { return (share - mean) / deviation; }
};
struct CoverScale {
    Scale building;
    Scale road;
};
/// Of the training tiles, rounded so that their text has them to the last bit; the deviation is
/// 0.001 at least. Precondition: there is a tile.
[[nodiscard]] CoverScale scale_of(std::span<const Cover> tiles);

/// What a run, or a checkpoint, knows of conditions.
class Conditions {
public:
    Conditions() = default;  ///< nothing is asked
    /// `sample`: of the training tiles, to draw wishes from. Precondition: there are some.
    Conditions(const CoverScale& scale, std::vector<Cover> sample);
    /// `tiles`: number of training tiles of each source. Precondition: there are some.
    Conditions(std::vector<std::string> sources, std::vector<std::int64_t> tiles);

    [[nodiscard]] ConditionKind kind() const noexcept { return kind_; }
    /// How many numbers a wish is told by.
    [[nodiscard]] std::int64_t size() const noexcept;
    /// Cover is told by its standardised shares, a source by 1 for its own number and 0 for the
    /// others. Precondition: a wish of this kind.
    [[nodiscard]] std::vector<double> numbers(const Wish& wish) const;
    /// What plan number so-and-so is asked to be like where nobody says: as training tiles are.
    [[nodiscard]] Wish wish_of(Seed seed, std::uint64_t plan) const;

    [[nodiscard]] const CoverScale& scale() const noexcept { return scale_; }
    [[nodiscard]] const std::vector<Cover>& sample() const noexcept { return sample_; }
    [[nodiscard]] const std::vector<std::string>& sources() const noexcept { return sources_; }
    [[nodiscard]] const std::vector<std::int64_t>& tiles() const noexcept { return tiles_; }

private:
    ConditionKind kind_ = ConditionKind::none;
    CoverScale scale_;
    std::vector<Cover> sample_;
    std::vector<std::string> sources_;
    std::vector<std::int64_t> tiles_;
};

}  // namespace civitas::conditions
