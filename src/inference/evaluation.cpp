#include "civitas/inference/evaluation.hpp"

#include "civitas/base/random.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/data/loader.hpp"
#include "civitas/data/tile_store.hpp"
#include "civitas/inference/trained_net.hpp"
#include "civitas/quality/evaluation.hpp"
#include "civitas/steps/drawing.hpp"

#include <algorithm>

namespace civitas::inference {
namespace {

/// `count` of the rows, evenly spread.
std::vector<TileIndex> spread(const std::vector<TileIndex>& rows, std::int64_t count) {
    std::vector<TileIndex> some;
    for (std::int64_t i = 0; i < count; ++i)
        some.push_back(rows[static_cast<std::size_t>(i * std::ssize(rows) / count)]);
    return some;
}

/// The same images with their pixels in random order: equal cover, no structure.
quality::ImageSet shuffled(const quality::ImageSet& images, Seed seed) {
    quality::ImageSet noise = images;
    const auto area = static_cast<std::size_t>(images.pixels * images.pixels);
    for (std::size_t plane = 0; plane * area < noise.values_BCHW.size(); ++plane) {
        const auto image = plane / static_cast<std::size_t>(images.channels);
        const Permutation order(area, RandomStream(seed, Purpose::metric, {1, image}));
        for (std::size_t i = 0; i < area; ++i)
            noise.values_BCHW[plane * area + i] = images.values_BCHW[plane * area + order(i)];
    }
    return noise;
}

Figures figures(const quality::ImageSet& set, const quality::ImageSet& test, Seed seed) {
    const bool colour = set.channels == 3;
    return {quality::mean_cover(set, 0), colour ? quality::mean_cover(set, 1) : 0,
            quality::sliced_wasserstein(set, test, seed), quality::mean_pairwise_difference(set)};
}

/// Equal numbers of plans, test tiles and training tiles.
struct Sets {
    quality::ImageSet plans, test, train;
};

Sets draw_and_read(const TrainedNet& generator, const data::TileStore& store, const Comparison& o) {
    const auto test = store.rows(data::Split::test);
    const auto train = store.rows(data::Split::train);
    const std::int64_t count = std::min({o.count, std::ssize(test), std::ssize(train)});
    if (count < 2)
        throw Error(text(o.tiles, " has ", test.size(), " test and ", train.size(),
                         " training tiles, at least 2 of each are needed"),
                    Hint{"civitas-preprocess --test-share 0.1"});
    const auto coding = generator.problem().coding();
    const auto read = [&](const std::vector<TileIndex>& rows) {
        return steps::image_set(data::read_tiles(store, spread(rows, count), coding,
                                                 generator.problem().nets.pixels()));
    };
    return {steps::image_set(draw(generator, Seed{o.seed}, {0, count})), read(test), read(train)};
}

}  // namespace

Evaluation evaluate(const comm::Communicator& world, const Comparison& o, Log& log) {
    const auto generator = TrainedNet::load(world, o.checkpoint, generator_of, log);
    const auto store = data::TileStore::open(world, o.tiles);
    comm::agree(world, [&] { data::require_classes(store); });
    Evaluation found;
    comm::on_root(world, [&] {
        const Sets sets = draw_and_read(generator, store, o);
        const Seed seed{o.seed};
        found = {sets.plans.count, figures(sets.plans, sets.test, seed),
                 figures(sets.train, sets.test, seed),
                 figures(shuffled(sets.test, seed), sets.test, seed)};
    });
    return found;
}

}  // namespace civitas::inference
