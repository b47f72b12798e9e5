#include "civitas/inference/first_plans.hpp"

#include "civitas/report/sheet.hpp"

#include <algorithm>
#include <cmath>

namespace civitas::inference {

void FirstPlans::take(const comm::Communicator& world, std::span<const data::PackedTile> plans,
                      std::int64_t pixels) {
    for (Rank from{0}; held_ < most && index(from) < world.size(); from = Rank{index(from) + 1}) {
        std::vector<std::uint8_t> some;
        const auto count =
            world.broadcast(std::min<std::int64_t>(most - held_, std::ssize(plans)), from);
        for (std::int64_t i = 0; from == world.rank() && i < count; ++i) {
            const auto small = data::small_tile(plans[static_cast<std::size_t>(i)], pixels);
            some.insert(some.end(), small.bytes.begin(), small.bytes.end());
        }
        some = world.transfer(std::move(some), from);
        classes_.insert(classes_.end(), some.begin(), some.end());
        held_ += count;
    }
}

io::Picture FirstPlans::sheet() const {
    constexpr int columns = 8, tile_pixels = 192;
    const auto area = static_cast<double>(classes_.size()) / static_cast<double>(held_);
    return report::sheet_of_classes(classes_, std::lround(std::sqrt(area)), columns, tile_pixels);
}

}  // namespace civitas::inference
