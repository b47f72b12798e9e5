#include "civitas/inference/plan_record.hpp"

namespace civitas::inference {

void Plans::add(const data::Decoded& plan, Anchor corner) {
    std::array<std::int64_t, 3> counts{};
    for (const std::uint8_t c : plan.classes) ++counts.at(c);
    data::TileRecord record;
    record.easting = corner.easting;
    record.northing = corner.northing;
    record.cover = plan.cover;
    record.variance = data::variance_of(counts);
    records.push_back(record);
    tiles.push_back(data::pack(plan.classes));
}

}  // namespace civitas::inference
