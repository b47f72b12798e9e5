#include "civitas/data/order.hpp"

#include "civitas/base/error.hpp"
#include "civitas/random/permutation.hpp"
#include "civitas/random/stream.hpp"

namespace civitas::data {

namespace {

/// They are the first so many of enum Symmetry.
std::uint64_t count_of(Symmetries allowed) {
    constexpr std::uint64_t flip = 2;
    return allowed == Symmetries::all ? symmetry_count : allowed == Symmetries::flip ? flip : 1;
}

}  // namespace

Drawn draw(Seed seed, std::int64_t tiles, Sample sample, Symmetries allowed) {
    ensure(tiles > 0 && index(sample) >= 0, "samples are drawn from some tiles");
    const auto number = static_cast<std::uint64_t>(index(sample));
    const auto count = static_cast<std::uint64_t>(tiles);
    const std::uint64_t epoch = number / count;
    const Permutation tile_at(count, RandomStream(seed, Purpose::order, {epoch, 0}));
    const RandomStream turns(seed, Purpose::symmetry, {epoch, number});
    return {static_cast<std::int64_t>(tile_at(number % count)),
            static_cast<Symmetry>(turns.below(count_of(allowed), 0))};
}

TileIndex training_tile(std::span<const TileIndex> training_rows, Seed seed, Sample sample) {
    const Drawn drawn = draw(seed, std::ssize(training_rows), sample);
    return training_rows[static_cast<std::size_t>(drawn.position)];
}

}  // namespace civitas::data
