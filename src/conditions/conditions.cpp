#include "civitas/conditions/conditions.hpp"

#include "civitas/base/error.hpp"
#include "civitas/random/stream.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace civitas::conditions {
namespace {

double rounded(double share) {
    constexpr double steps = 1e6;
    return std::round(share * steps) / steps;
}

Scale scale_of(std::span<const Cover> tiles, double Cover::*share) {
    constexpr double least_deviation = 1e-3;
    const auto n = static_cast<double>(tiles.size());
    double sum = 0, squares = 0;
    for (const Cover& tile : tiles) sum += tile.*share;
    for (const Cover& tile : tiles) squares += std::pow(tile.*share - sum / n, 2);
    return {rounded(sum / n), std::max(rounded(std::sqrt(squares / n)), least_deviation)};
}

}  // namespace

CoverScale scale_of(std::span<const Cover> tiles) {
    ensure(!tiles.empty(), "a scale is of some tiles");
    return {scale_of(tiles, &Cover::building), scale_of(tiles, &Cover::road)};
}

Conditions::Conditions(const CoverScale& scale, std::vector<Cover> sample)
    : kind_(ConditionKind::cover), scale_(scale), sample_(std::move(sample)) {
    ensure(!sample_.empty(), "wishes are drawn from some tiles");
}

Conditions::Conditions(std::vector<std::string> sources, std::vector<std::int64_t> tiles)
    : kind_(ConditionKind::source), sources_(std::move(sources)), tiles_(std::move(tiles)) {
    ensure(sources_.size() == tiles_.size() && !tiles_.empty(), "each source has some tiles");
}

std::int64_t Conditions::size() const noexcept {
    return condition_numbers(kind_, std::ssize(sources_));
}

std::vector<double> Conditions::numbers(const Wish& wish) const {
    if (kind_ == ConditionKind::cover) {
        const auto& cover = std::get<Cover>(wish);
        return {scale_.building.standardised(cover.building), scale_.road.standardised(cover.road)};
    }
    std::vector<double> numbers(sources_.size());
    if (kind_ == ConditionKind::source)
        numbers.at(static_cast<std::size_t>(std::get<Source>(wish))) = 1;
    return numbers;
}

Wish Conditions::wish_of(Seed seed, std::uint64_t plan) const {
    if (kind_ == ConditionKind::none) return {};
    const RandomStream stream(seed, Purpose::wish, {.major = 0, .minor = plan});
    if (kind_ == ConditionKind::cover) return sample_[stream.below(sample_.size(), 0)];
    const auto all = std::accumulate(tiles_.begin(), tiles_.end(), std::int64_t{0});
    auto tile = static_cast<std::int64_t>(stream.below(static_cast<std::uint64_t>(all), 0));
    std::size_t source = 0;
    while (tile >= tiles_[source]) tile -= tiles_[source++];
    return Source{source};
}

}  // namespace civitas::conditions
