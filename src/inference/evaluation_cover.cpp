#include "evaluation_sets.hpp"

#include "civitas/data/loader.hpp"
#include "civitas/steps/drawing.hpp"

#include <algorithm>
#include <functional>
#include <optional>

namespace civitas::inference {
namespace {

/// The mean cover of so many plans is known to 2 % (one standard deviation), that of 144 to 6 %.
constexpr std::int64_t most_images = 2000;
/// Of all of them together: larger ones than 256 pixels a side are fewer.
constexpr std::int64_t most_pixels = most_images * 256 * 256;

struct Cover {
    double building = 0, road = 0;
};

/// Mean cover of `count` images that are made a few at a time.
Cover mean_cover_of(std::int64_t count, const std::function<at::Tensor(Range)>& images_of) {
    Cover mean;
    for (std::int64_t i = 0; i < count; i += plans_at_once) {
        const Range range{i, std::min(count - i, plans_at_once)};
        const quality::ImageSet images = steps::image_set(images_of(range));
        const double share = static_cast<double>(range.count) / static_cast<double>(count);
        mean.building += share * quality::mean_cover(images, LandClass::building);
        mean.road += share * quality::mean_cover(images, LandClass::road);
    }
    return mean;
}

}  // namespace

quality::CoverOfMany EvaluationSource::cover(Log& log) const {
    const std::int64_t area = pixels() * pixels();
    const std::int64_t most = std::max(std::min(most_images, most_pixels / area), count());
    const auto of_store = plans_ ? spread(all_rows(*plans_), most) : std::vector<TileIndex>();
    const auto test = spread(tiles_.rows(data::Split::test), most);
    const auto train = spread(tiles_.rows(data::Split::train), most);
    const std::int64_t plans = plans_ ? std::ssize(of_store) : most;

    const std::int64_t all = plans + std::ssize(test) + std::ssize(train);
    std::optional<Progress> progress;
    if (all * area > many_pixels) progress.emplace(log, "cover of many", all);
    std::int64_t done = 0;
    const auto told = [&](const at::Tensor& images) {
        done += images.size(0);
        if (progress) progress->advance(done);
        return images;
    };
    const auto of_rows = [&](const data::TileStore& store, const std::vector<TileIndex>& rows) {
        return mean_cover_of(std::ssize(rows), [&](Range range) {
            const auto part = std::span(rows).subspan(static_cast<std::size_t>(range.begin),
                                                      static_cast<std::size_t>(range.count));
            return told(data::read_tiles(store, part, coding(), pixels()));
        });
    };
    const auto drawn_cover = [&] {
        return mean_cover_of(plans, [&](Range range) {
            return told(draw(*generator_, Seed{compared_.seed}, range));
        });
    };
    const Cover of_plans = plans_ ? of_rows(*plans_, of_store) : drawn_cover();
    const Cover of_test = of_rows(tiles_, test), of_train = of_rows(tiles_, train);
    // Noise is test tiles with their pixels shuffled, so it has their cover.
    return {plans,
            std::ssize(test),
            std::ssize(train),
            {{of_plans.building, of_train.building, of_test.building}, of_test.building},
            {{of_plans.road, of_train.road, of_test.road}, of_test.road}};
}

}  // namespace civitas::inference
