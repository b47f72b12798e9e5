#include "civitas/quality/likeness.hpp"

#include "civitas/base/error.hpp"

#include <algorithm>

namespace civitas::quality {

std::vector<TownDistances> distances_between(std::span<const TownMaps> towns, Seed seed) {
    std::vector<ImageSet> tests;
    for (const TownMaps& town : towns) {
        ensure(town.plans.size() == town.test.size() && town.train.size() == town.test.size(),
               "as many plans and training tiles as test tiles are compared");
        tests.push_back(one_hot(town.test));
    }
    std::vector<TownDistances> found;
    for (const TownMaps& town : towns) {
        const auto to_each = [&](const std::vector<ClassMap>& maps) {
            const ImageSet images = one_hot(maps);
            std::vector<double> distances;
            for (const ImageSet& test : tests)
                distances.push_back(sliced_wasserstein(images, test, seed));
            return distances;
        };
        found.push_back({town.town, to_each(town.plans), to_each(town.train)});
    }
    return found;
}

}  // namespace civitas::quality
