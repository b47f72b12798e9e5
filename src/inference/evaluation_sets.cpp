#include "evaluation_sets.hpp"

#include "civitas/comm/agree.hpp"
#include "civitas/data/coding.hpp"
#include "civitas/data/loader.hpp"
#include "civitas/data/post_process.hpp"
#include "civitas/steps/drawing.hpp"

#include <algorithm>
#include <numeric>

namespace civitas::inference {
namespace {

/// Copies are looked for in so many training tiles at most: time and memory grow with them.
constexpr std::int64_t most_learnt = 20'000;

/// The size that stores of two sizes are compared at where nobody says: halves of the smaller one,
/// as long as there is more than 64 and both can be averaged.
std::int64_t common_pixels(std::int64_t a, std::int64_t b) {
    const std::int64_t most = std::max(a, b);
    std::int64_t pixels = std::min(a, b);
    while (pixels > 64 && pixels % 2 == 0 && most / pixels < 8) pixels /= 2;
    return pixels;
}

void require_averageable(const data::TileStore& store, std::int64_t pixels) {
    const std::int64_t of_store = store.header().pixels;
    for (const std::int64_t factor : {1, 2, 4, 8})
        if (of_store == factor * pixels) return;
    throw UsageError(text(store.file().string(), " has tiles of ", of_store,
                          " pixels a side, which cannot be compared at ", pixels),
                     Hint{"--pixels N for a size that the tiles of both stores are 1, 2, 4 or 8 "
                          "times"});
}

}  // namespace

std::vector<TileIndex> spread(const std::vector<TileIndex>& rows, std::int64_t most) {
    const std::int64_t count = std::min(most, std::ssize(rows));
    std::vector<TileIndex> some;
    for (std::int64_t i = 0; i < count; ++i)
        some.push_back(rows[static_cast<std::size_t>(i * std::ssize(rows) / count)]);
    return some;
}

std::vector<TileIndex> all_rows(const data::TileStore& store) {
    std::vector<TileIndex> rows;
    for (std::int64_t i = 0; i < store.size(); ++i) rows.push_back(TileIndex{i});
    return rows;
}

EvaluationSource EvaluationSource::open(const comm::Communicator& world, const Comparison& o,
                                        Log& log) {
    std::optional<TrainedNet> generator;
    std::optional<data::TileStore> plans;
    if (o.plans.empty())
        generator = TrainedNet::load(world, o.checkpoint, generator_of, log);
    else
        plans = data::TileStore::open(world, o.plans);
    EvaluationSource source(o, data::TileStore::open(world, o.tiles));
    source.generator_ = std::move(generator);
    source.plans_ = std::move(plans);
    comm::agree(world, [&] { source.require_comparable(); });
    return source;
}

void EvaluationSource::require_comparable() const {
    data::require_classes(tiles_);
    if (plans_) {
        data::require_classes(*plans_);
        require_averageable(*plans_, pixels());
        require_averageable(tiles_, pixels());
    }
    const double metres = tiles_.header().tile_metres;
    const double of_plans =
        plans_ ? plans_->header().tile_metres : generator_->number("tile-metres");
    if (of_plans != metres)
        throw UsageError(text(plans_ ? compared_.plans : compared_.checkpoint, " has plans of ",
                              of_plans, " m a side, ", compared_.tiles, " tiles of ", metres),
                         Hint{text("civitas-preprocess --tile-metres ", of_plans)});
    if (plans_ && plans_->size() < 2)
        throw Error(text(compared_.plans, " has ", plans_->size(), " plans, at least 2 are needed"),
                    Hint{"civitas generate --count 256"});
    if (count() < 2) {
        const auto split = [&](data::Split s) { return tiles_.rows(s).size(); };
        throw Error(
            text(compared_.tiles, " has ", split(data::Split::test), " test and ",
                 split(data::Split::train), " training tiles, at least 2 of each are needed"),
            Hint{"civitas-preprocess --test-share 0.1"});
    }
}

std::int64_t EvaluationSource::pixels() const {
    if (compared_.pixels > 0) return compared_.pixels;
    if (generator_) return generator_->problem().nets.pixels();
    return common_pixels(plans_->header().pixels, tiles_.header().pixels);
}

Coding EvaluationSource::coding() const {
    return generator_ ? generator_->problem().coding() : Coding::colour;
}

double EvaluationSource::pixel_metres() const {
    return tiles_.header().tile_metres / static_cast<double>(pixels());
}

std::int64_t EvaluationSource::count() const {
    return std::min({compared_.count, std::ssize(tiles_.rows(data::Split::test)),
                     std::ssize(tiles_.rows(data::Split::train)),
                     plans_ ? plans_->size() : compared_.count});
}

quality::ClassMap EvaluationSource::map_of(const at::Tensor& image_CHW) const {
    const std::int64_t side = image_CHW.size(2);
    quality::ClassMap map{side, pixel_metres(), {}};
    for (const std::uint8_t c : data::classes_of(image_CHW, coding(), side))
        map.classes.push_back(static_cast<LandClass>(c));
    return map;
}

quality::PlanSet EvaluationSource::set_of(const at::Tensor& x_BCHW, bool post_process) const {
    quality::PlanSet set{steps::image_set(x_BCHW), {}};
    for (std::int64_t i = 0; i < x_BCHW.size(0); ++i)
        set.stored.push_back(
            map_of(post_process ? data::post_processed(x_BCHW[i], coding()) : x_BCHW[i]));
    return set;
}

quality::PlanSet EvaluationSource::read(const data::TileStore& store,
                                        std::span<const TileIndex> rows) const {
    return set_of(data::read_tiles(store, rows, coding(), pixels()), false);
}

quality::PlanSet EvaluationSource::drawn(std::int64_t count, const conditions::Wish& wish) const {
    return set_of(draw(*generator_, Seed{compared_.seed}, {0, count}, wish), true);
}

quality::PlanSet EvaluationSource::plans(std::int64_t count) const {
    return plans_ ? read(*plans_, spread(all_rows(*plans_), count)) : drawn(count, {});
}

EvaluationSets EvaluationSource::sets() const {
    const std::int64_t n = count();
    return {plans(n), read(tiles_, spread(tiles_.rows(data::Split::test), n)),
            read(tiles_, spread(tiles_.rows(data::Split::train), n))};
}

std::vector<quality::WishedCover> EvaluationSource::wished(std::int64_t count) const {
    if (!generator_ || generator_->conditions().kind() != ConditionKind::cover) return {};
    std::vector<quality::WishedCover> wished;
    for (std::int64_t i = 0; i < count; ++i) {
        const auto wish =
            generator_->conditions().wish_of(Seed{compared_.seed}, static_cast<std::uint64_t>(i));
        const auto& cover = std::get<conditions::Cover>(wish);
        wished.push_back({cover.building, cover.road});
    }
    return wished;
}

std::vector<quality::ClassMap> EvaluationSource::learnt() const {
    constexpr std::int64_t at_once = 64;
    const auto rows = tiles_.rows(data::Split::train);
    const auto some = spread(rows, most_learnt);
    std::vector<quality::ClassMap> maps;
    for (std::int64_t i = 0; i < std::ssize(some); i += at_once) {
        const auto part = std::span(some).subspan(
            static_cast<std::size_t>(i),
            static_cast<std::size_t>(std::min(at_once, std::ssize(some) - i)));
        for (quality::ClassMap& map : read(tiles_, part).stored)
            maps.push_back(quality::halved(std::move(map)));
    }
    return maps;
}

}  // namespace civitas::inference
