#include "civitas/inference/first_plans.hpp"

#include "support/agree.hpp"

using namespace civitas;
using inference::FirstPlans;

namespace {

constexpr std::int64_t pixels = 8;
constexpr std::int64_t area = pixels * pixels;

std::vector<data::PackedTile> plans_of(std::uint8_t kind, int count) {
    const std::vector<std::uint8_t> classes(area, kind);
    return std::vector<data::PackedTile>(static_cast<std::size_t>(count), data::pack(classes));
}

}  // namespace

TEST_CASE("the root gathers the plans that a sheet shows, and no rank holds more") {
    const auto world = comm::Communicator::world();
    const auto me = static_cast<std::uint8_t>(index(world.rank()));
    const auto plans = plans_of(me, 25);
    FirstPlans first;
    for (int batch = 1; batch <= 4; ++batch) {
        first.take(world, plans, pixels);
        const auto all = std::min<std::int64_t>(FirstPlans::most, batch * 25 * world.size());
        CHECK(std::ssize(first.classes()) == (world.is_root() ? all * area : 0));
    }
    if (!world.is_root()) return;
    for (std::int64_t plan = 0; plan < FirstPlans::most; ++plan)
        CHECK(first.classes()[static_cast<std::size_t>(plan * area)] == plan / 25 % world.size());
    CHECK(first.sheet().width() == first.sheet().height());
}
