#include "civitas/data/order.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/random.hpp"

namespace civitas::data {

Drawn draw(Seed seed, std::int64_t tiles, Sample sample) {
    ensure(tiles > 0 && index(sample) >= 0, "samples are drawn from some tiles");
    constexpr std::uint64_t symmetries = 8;
    const auto number = static_cast<std::uint64_t>(index(sample));
    const auto count = static_cast<std::uint64_t>(tiles);
    const std::uint64_t epoch = number / count;
    const Permutation tile_at(count, RandomStream(seed, Purpose::order, {epoch, 0}));
    const RandomStream turns(seed, Purpose::symmetry, {epoch, number});
    return {static_cast<std::int64_t>(tile_at(number % count)),
            static_cast<Symmetry>(turns.below(symmetries, 0))};
}

}  // namespace civitas::data
