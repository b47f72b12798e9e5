#include "joining.hpp"

#include <algorithm>
#include <set>

namespace civitas::vectorize {

Joining::Joining(Neighbours neighbours, double least_contact)
    : neighbours_(std::move(neighbours)), least_contact_(least_contact) {}

std::optional<Joining::Part> Joining::cut_part(const TileFigures& tile,
                                               const OGRPolygon& building) const {
    OGREnvelope ground;
    ground_of(tile).getEnvelope(&ground);
    Part part;
    part.touched = borders_of(building, ground);
    bool cut = false;
    for (const Side side : data::sides) {
        if (!neighbours_.of(tile.tile, side)) part.touched[at(side)].clear();
        cut |= !part.touched[at(side)].empty();
    }
    if (!cut) return std::nullopt;
    part.tile = tile.tile;
    part.shape = building;
    return part;
}

std::vector<FinishedTile> Joining::add(const TileFigures& tile, const Polygons& buildings) {
    auto& open = tiles_[tile.tile];
    open.tile.figures = tile;
    std::vector<std::size_t> mine;
    for (const auto& building : buildings) {
        auto part = cut_part(tile, building);
        if (!part) {
            open.tile.buildings.push_back(building);
            continue;
        }
        part->group = next_;
        groups_[next_].parts = {next_};
        parts_.emplace(next_, std::move(*part));
        mine.push_back(next_++);
        ++open.open_parts;
    }
    parts_of_[tile.tile] = mine;
    for (const Side side : data::sides) {
        if (const auto neighbour = neighbours_.of(tile.tile, side)) {
            for (const auto part : mine) meet(part, side, *neighbour);
        }
    }
    // What waited for this tile waits for it no longer.
    std::set<std::size_t> touched;
    for (const auto part : mine) touched.insert(parts_.at(part).group);
    for (const Side side : data::sides) {
        const auto neighbour = neighbours_.of(tile.tile, side);
        if (!neighbour || !parts_of_.contains(*neighbour)) continue;
        for (const auto part : parts_of_.at(*neighbour)) {
            const auto found = parts_.find(part);
            if (found == parts_.end() || found->second.touched[at(opposite(side))].empty())
                continue;
            --groups_.at(found->second.group).awaited;
            touched.insert(found->second.group);
        }
    }
    std::vector<FinishedTile> finished;
    for (const auto group : touched) {
        if (groups_.at(group).awaited == 0) close(group, finished);
    }
    finish_if_whole(tile.tile, finished);
    return finished;
}

void Joining::meet(std::size_t part, Side side, std::int64_t neighbour) {
    const auto& mine = parts_.at(part).touched[at(side)];
    if (mine.empty()) return;
    const auto there = parts_of_.find(neighbour);
    if (there == parts_of_.end()) {
        ++groups_.at(parts_.at(part).group).awaited;
        return;
    }
    for (const auto other : there->second) {
        const auto found = parts_.find(other);
        if (found == parts_.end()) continue;
        if (common(mine, found->second.touched[at(opposite(side))]) > least_contact_) {
            merge(parts_.at(part).group, found->second.group);
        }
    }
}

void Joining::merge(std::size_t a, std::size_t b) {
    if (a == b) return;
    auto gone = groups_.extract(b).mapped();
    auto& kept = groups_.at(a);
    for (const auto part : gone.parts) parts_.at(part).group = a;
    kept.parts.insert(kept.parts.end(), gone.parts.begin(), gone.parts.end());
    kept.awaited += gone.awaited;
}

void Joining::close(std::size_t group, std::vector<FinishedTile>& finished) {
    const auto members = groups_.extract(group).mapped().parts;
    Polygons shapes;
    std::set<std::int64_t> tiles;
    const Part* largest = nullptr;
    for (const auto member : members) {
        const auto& part = parts_.at(member);
        shapes.push_back(part.shape);
        tiles.insert(part.tile);
        --tiles_.at(part.tile).open_parts;
        const bool larger = largest == nullptr || part.shape.get_Area() > largest->shape.get_Area();
        if (larger) largest = &part;
    }
    auto& owner = tiles_.at(largest->tile).tile.buildings;
    for (const auto& whole : joined_over_borders("building", shapes, largest->tile))
        owner.push_back(whole);
    for (const auto member : members) parts_.erase(member);
    for (const auto tile : tiles) finish_if_whole(tile, finished);
}

void Joining::finish_if_whole(std::int64_t tile, std::vector<FinishedTile>& finished) {
    const auto found = tiles_.find(tile);
    if (found == tiles_.end() || found->second.open_parts > 0) return;
    auto whole = std::move(found->second.tile);
    tiles_.erase(found);
    parts_of_[tile].clear();
    std::vector<double> areas;
    for (const auto& building : whole.buildings) areas.push_back(building.get_Area());
    set_buildings(whole.figures, std::move(areas));
    finished.push_back(std::move(whole));
}

}  // namespace civitas::vectorize
