#include "cutting.hpp"

#include "civitas/data/coding.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace civitas::maps {
namespace {

std::int64_t count_of(std::span<const std::uint8_t> pixels, LandClass value) {
    return std::count(pixels.begin(), pixels.end(), static_cast<std::uint8_t>(value));
}

std::uint16_t source_of(const LocalMap& map, std::size_t i) {
    std::uint16_t first = std::numeric_limits<std::uint16_t>::max();
    bool any = false;
    for (const auto number : map.touching[i]) {
        const auto shape = map.shapes.at(number);
        if (shape.value == LandClass::other) continue;
        first = std::min(first, shape.origin.source);
        any = true;
    }
    return any ? first : std::uint16_t{0};
}

}  // namespace

Cutter::Cutter(const Grid& grid, std::int64_t pixels)
    : grid_(grid),
      tile_(static_cast<std::size_t>(pixels * pixels)),
      burner_({{}, grid.size().metres, pixels}) {}

void Cutter::burn(const LocalMap& map, std::size_t i, LandClass value) {
    for (const auto number : map.touching[i]) {
        const auto shape = map.shapes.at(number);
        if (shape.value == value) burner_.burn(shape, static_cast<std::uint8_t>(value), tile_);
    }
}

void Cutter::measure(const LocalMap& map, std::size_t i, LandClass value, Areas& areas) const {
    const double side = grid_.size().metres;
    const auto corner = grid_.upper_left(map.cells[i]);
    const Box ground{corner.x, corner.y - side, corner.x + side, corner.y};
    const auto c = static_cast<std::size_t>(value);
    for (const auto number : map.touching[i]) {  // rounded one by one: shapes come in any order
        const auto shape = map.shapes.at(number);
        if (shape.value == value)
            areas.polygons[c] +=
                std::llround(area_within(shape, ground) * square_centimetres_in_a_metre);
    }
    areas.pixels[c] += count_of(tile_, value);
}

Cutter::Counts Cutter::counts() const {
    return {count_of(tile_, LandClass::other), count_of(tile_, LandClass::road),
            count_of(tile_, LandClass::building)};
}

double Cutter::share(std::int64_t pixels) const {
    return static_cast<double>(pixels) / static_cast<double>(tile_.size());
}

/// True if more of the tile lies on no shape at all than is borne.
bool Cutter::is_cut_by_edge(const LocalMap& map, std::size_t i) {
    known_.assign(tile_.size(), 0);
    for (const auto number : map.touching[i]) burner_.burn(map.shapes.at(number), 1, known_);
    const auto unknown = static_cast<double>(std::count(known_.begin(), known_.end(), 0));
    return unknown > most_beyond_edge * static_cast<double>(tile_.size());
}

map_report::Fate Cutter::fate_of(const LocalMap& map, std::size_t i, const Cover& cover,
                                 const Demand& demand, Findings& findings) {
    using map_report::Fate;
    if (cover.building < demand.least.building) {
        ++findings.too_few_buildings;
        return Fate::few_buildings;
    }
    if (cover.road < demand.least.road) {
        ++findings.too_few_roads;
        return Fate::few_roads;
    }
    if (demand.within_edge && is_cut_by_edge(map, i)) {
        ++findings.cut_by_edge;
        return Fate::cut_by_edge;
    }
    return Fate::training;
}

void Cutter::look(const LocalMap& map, const Demand& demand, Findings& findings) {
    for (std::size_t i = 0; i < map.cells.size(); ++i) {
        std::fill(tile_.begin(), tile_.end(), static_cast<std::uint8_t>(LandClass::other));
        burner_.move_to(grid_.upper_left(map.cells[i]));
        for (const auto value : {LandClass::road, LandClass::building}) {
            burn(map, i, value);
            measure(map, i, value, findings.areas);
        }
        const auto found = counts();
        const Cover cover{.building = share(found[2]), .road = share(found[1])};
        findings.most.road = std::max(findings.most.road, cover.road);
        findings.most.building = std::max(findings.most.building, cover.building);
        const auto fate = fate_of(map, i, cover, demand, findings);
        if (map_report::is_kept(fate))
            findings.passed.push_back({map.cells[i], data::variance_of(found)});
        findings.looked_at.push_back({static_cast<float>(cover.building),
                                      static_cast<float>(cover.road), source_of(map, i), fate});
    }
}

Cuttings Cutter::cut(const LocalMap& map) {
    Cuttings cuttings;
    for (std::size_t i = 0; i < map.cells.size(); ++i) {
        const auto corner = grid_.upper_left(map.cells[i]);
        std::fill(tile_.begin(), tile_.end(), static_cast<std::uint8_t>(LandClass::other));
        burner_.move_to(corner);
        burn(map, i, LandClass::road);
        burn(map, i, LandClass::building);
        const auto found = counts();
        const auto cover = [&](std::size_t c) { return static_cast<float>(share(found.at(c))); };
        cuttings.records.push_back({corner.x,
                                    corner.y,
                                    {cover(0), cover(1), cover(2)},
                                    data::variance_of(found),
                                    source_of(map, i)});
        cuttings.tiles.push_back(data::pack(tile_));
    }
    return cuttings;
}

}  // namespace civitas::maps
