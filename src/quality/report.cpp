#include "civitas/quality/report.hpp"

#include "mean.hpp"

#include "civitas/base/error.hpp"
#include "civitas/random/permutation.hpp"
#include "civitas/random/stream.hpp"

#include <algorithm>
#include <cmath>

namespace civitas::quality {
namespace {

constexpr int permutations = 499;
/// The kernel test compares so many tiles of each set at most, evenly spread.
constexpr std::size_t most_points = 512;

/// The same of each set.
template <class T, class Of>
auto each_set(const PerSet<T>& sets, Of&& of) {
    return PerSet<decltype(of(sets.plans))>{of(sets.plans), of(sets.train), of(sets.noise)};
}

using Sets = PerSet<const PlanSet*>;
using Images = PerSet<const ImageSet*>;

Permutation order_of(std::int64_t pixels, Seed seed, std::size_t image) {
    return {static_cast<std::uint64_t>(pixels * pixels),
            RandomStream(seed, Purpose::metric, {1, image})};
}

ImageSet shuffled_soft(const ImageSet& images, Seed seed) {
    ImageSet noise = images;
    const auto area = static_cast<std::size_t>(images.pixels * images.pixels);
    for (std::size_t plane = 0; plane * area < noise.values_BCHW.size(); ++plane) {
        const auto order =
            order_of(images.pixels, seed, plane / static_cast<std::size_t>(images.channels));
        for (std::size_t i = 0; i < area; ++i)
            noise.values_BCHW[plane * area + i] = images.values_BCHW[plane * area + order(i)];
    }
    return noise;
}

SlicedDistances sliced(const Images& sets, const ImageSet& test, Seed seed) {
    const auto levels = each_set(
        sets, [&](const ImageSet* set) { return sliced_wasserstein_by_level(*set, test, seed); });
    SlicedDistances found;
    for (std::size_t i = 0; i < levels.plans.size(); ++i)
        found.levels.push_back({levels.plans[i].pixels,
                                each_set(levels, [i](const auto& l) { return l[i].distance; })});
    found.mean = each_set(levels, [](const auto& l) { return mean_distance(l); });
    return found;
}

SoftOrStored of_images(const Images& sets, const ImageSet& test, Seed seed) {
    const auto of_sets = [&](auto&& of) {
        return OfSets{each_set(sets, [&](const ImageSet* set) { return of(*set); }), of(test)};
    };
    const auto cover = [&](LandClass of) {
        return of_sets([of](const ImageSet& set) { return mean_cover(set, of); });
    };
    return {cover(LandClass::building), cover(LandClass::road), of_sets(mean_pairwise_difference),
            sliced(sets, test, seed)};
}

SoftOrStored of_stored(const Sets& sets, const PlanSet& test, Seed seed) {
    const auto images = each_set(sets, [](const PlanSet* set) { return one_hot(set->stored); });
    return of_images({&images.plans, &images.train, &images.noise}, one_hot(test.stored), seed);
}

std::vector<ReportGroup> rows_of(const PerSet<SetFigures>& sets, const SetFigures& test) {
    std::vector<ReportGroup> groups;
    for (std::size_t g = 0; g < test.groups.size(); ++g) {
        ReportGroup& group = groups.emplace_back(ReportGroup{test.groups[g].title, {}});
        for (std::size_t f = 0; f < test.groups[g].figures.size(); ++f) {
            const Figure& real = test.groups[g].figures[f];
            const auto values = each_set(
                sets, [&](const SetFigures& set) { return set.groups[g].figures[f].values; });
            group.rows.push_back(
                {real.key, real.name, real.unit, each_set(values, mean_of), mean_of(real.values),
                 each_set(values, [&](const std::vector<double>& v) {
                     return Apart{kolmogorov_smirnov(v, real.values), wasserstein(v, real.values)};
                 })});
        }
    }
    return groups;
}

/// The mean and deviation of a figure over tiles where it is defined.
struct Scale {
    double mean = 0;
    double deviation = 0;
};

Scale scale_of(const SetFigures& set, std::size_t figure) {
    double n = 0, sum = 0, squares = 0;
    for (const auto& tile : set.by_tile) {
        if (std::isnan(tile[figure])) continue;
        n += 1;
        sum += tile[figure];
    }
    const double mean = n > 0 ? sum / n : 0;
    for (const auto& tile : set.by_tile)
        if (!std::isnan(tile[figure])) squares += (tile[figure] - mean) * (tile[figure] - mean);
    return {mean, n > 1 ? std::sqrt(squares / (n - 1)) : 0};
}

/// Figures in deviations of the test tiles' from their mean, which stands for one that is not
/// defined. What never differs among test tiles says nothing here.
Points standardised(const SetFigures& set, const std::vector<Scale>& scales) {
    Points points{scales.size(), {}};
    const std::size_t count = std::min(set.by_tile.size(), most_points);
    for (std::size_t i = 0; i < count; ++i) {
        const auto& tile = set.by_tile[i * set.by_tile.size() / count];
        for (std::size_t f = 0; f < scales.size(); ++f) {
            const bool known = !std::isnan(tile[f]) && scales[f].deviation > 0;
            points.values.push_back(known ? (tile[f] - scales[f].mean) / scales[f].deviation : 0);
        }
    }
    return points;
}

PerSet<Mmd> mmd_of(const PerSet<SetFigures>& sets, const SetFigures& test, Seed seed) {
    std::vector<Scale> scales;
    for (std::size_t f = 0; f < test.by_tile.front().size(); ++f)
        scales.push_back(scale_of(test, f));
    const Points real = standardised(test, scales);
    return each_set(sets, [&](const SetFigures& set) {
        return mmd(standardised(set, scales), real, permutations, seed);
    });
}

}  // namespace

PlanSet shuffled(const PlanSet& tiles, Seed seed) {
    PlanSet noise{shuffled_soft(tiles.soft, seed), tiles.stored};
    for (std::size_t i = 0; i < tiles.stored.size(); ++i) {
        const auto order = order_of(tiles.stored[i].pixels, seed, i);
        for (std::size_t k = 0; k < tiles.stored[i].classes.size(); ++k)
            noise.stored[i].classes[k] = tiles.stored[i].classes[order(k)];
    }
    return noise;
}

Report report_on(ReportInput input, const Advance& advance) {
    PlanSet& test = input.test;
    ensure(!test.stored.empty(), "there are test tiles");
    PlanSet noise = shuffled(test, input.seed);
    const Sets sets{&input.plans, &input.train, &noise};
    Report report{.count = std::ssize(test.stored),
                  .pixels = test.stored.front().pixels,
                  .pixel_metres = test.stored.front().pixel_metres};
    report.soft = of_images(each_set(sets, [](const PlanSet* set) { return &set->soft; }),
                            test.soft, input.seed);
    report.obedience = obedience_of(input.wished, input.plans.soft, input.plans.stored);
    for (PlanSet* set : {&input.plans, &input.train, &test, &noise}) set->soft = {};
    advance();
    report.stored = of_stored(sets, test, input.seed);
    advance();
    const auto figures = each_set(sets, [](const PlanSet* set) { return figures_of(set->stored); });
    const SetFigures of_test = figures_of(test.stored);
    report.groups = rows_of(figures, of_test);
    advance();
    report.mmd = mmd_of(figures, of_test, input.seed);
    advance();
    report.memorisation = memorisation(input.plans.stored, test.stored, input.learnt);
    advance();
    return report;
}

}  // namespace civitas::quality
