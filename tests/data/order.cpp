#include "civitas/data/order.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <set>
#include <vector>

using namespace civitas;
using namespace civitas::data;

namespace {

std::vector<std::int64_t> epoch(Seed seed, std::int64_t tiles, std::int64_t number) {
    std::vector<std::int64_t> positions;
    for (std::int64_t t = number * tiles; t < (number + 1) * tiles; ++t)
        positions.push_back(draw(seed, tiles, Sample{t}).position);
    return positions;
}

}  // namespace

TEST_CASE("every epoch holds every tile once, whatever their number") {
    for (const std::int64_t tiles : {1, 2, 3, 5, 16, 17, 343})
        for (const std::int64_t number : {0, 1, 9}) {
            const auto positions = epoch(Seed{1}, tiles, number);
            const std::set<std::int64_t> different(positions.begin(), positions.end());
            CHECK(different.size() == static_cast<std::size_t>(tiles));
            CHECK(*different.begin() == 0);
            CHECK(*different.rbegin() == tiles - 1);
        }
}

TEST_CASE("epochs and seeds have orders of their own") {
    CHECK(epoch(Seed{1}, 100, 0) != epoch(Seed{1}, 100, 1));
    CHECK(epoch(Seed{1}, 100, 0) != epoch(Seed{2}, 100, 0));
    CHECK(epoch(Seed{1}, 100, 3) == epoch(Seed{1}, 100, 3));
}

TEST_CASE("a batch larger than the number of tiles goes on in the next epoch") {
    constexpr std::int64_t tiles = 5, batch = 32;
    std::vector<int> seen(tiles);
    for (std::int64_t t = 0; t < batch; ++t)
        ++seen.at(static_cast<std::size_t>(draw(Seed{3}, tiles, Sample{t}).position));
    for (const int times : seen) CHECK((times == batch / tiles || times == batch / tiles + 1));
}

// Chi-squared with 7 degrees of freedom: 24.3 is passed once in a thousand seeds.
TEST_CASE("the eight symmetries occur alike, also for one tile over the epochs") {
    for (const std::int64_t tiles : {1, 1000}) {
        std::array<int, 8> seen{};
        constexpr int samples = 8000;
        for (std::int64_t t = 0; t < samples; ++t)
            ++seen.at(static_cast<std::size_t>(draw(Seed{1}, tiles, Sample{t}).symmetry));
        double chi_squared = 0;
        for (const int n : seen) chi_squared += (n - 1000.0) * (n - 1000.0) / 1000.0;
        CHECK(chi_squared < 24.3);
    }
}

TEST_CASE("samples far into a run are drawn like the first") {
    const Drawn far = draw(Seed{1}, 7, Sample{std::int64_t{1} << 61});
    CHECK(far.position >= 0);
    CHECK(far.position < 7);
}
