#include "civitas/data/labels.hpp"
#include "evaluation_sets.hpp"

#include <algorithm>

namespace civitas::inference {
namespace {

/// The time grows with their square, and nobody reads a wider table.
constexpr std::size_t most_towns = 8;
/// Of each town: a distance of so many is known well enough beside real against real.
constexpr std::int64_t most_tiles = 64;

/// Of one of the sources that plans can be asked to be like.
struct TownRows {
    conditions::Source source{};
    std::string name;
    std::vector<TileIndex> test, train;
};

/// The towns that the store has two test and two training tiles of, by their names.
std::vector<TownRows> towns_in(const data::TileStore& store,
                               const std::vector<std::string>& sources) {
    const data::Labels labels = data::classes_of_tiles(store, LabelSource::source);
    const auto rows_of = [&](data::Split split, std::ptrdiff_t label) {
        std::vector<TileIndex> rows;
        for (const TileIndex row : store.rows(split))
            if (labels.of_tile[static_cast<std::size_t>(row)] == label) rows.push_back(row);
        return rows;
    };
    std::vector<TownRows> towns;
    for (std::size_t i = 0; i < sources.size() && towns.size() < most_towns; ++i) {
        const auto found = std::find(labels.names.begin(), labels.names.end(), sources[i]);
        if (found == labels.names.end()) continue;
        const auto label = found - labels.names.begin();
        TownRows town{conditions::Source{i}, sources[i], rows_of(data::Split::test, label),
                      rows_of(data::Split::train, label)};
        if (std::min(town.test.size(), town.train.size()) >= 2) towns.push_back(std::move(town));
    }
    return towns;
}

}  // namespace

std::optional<quality::Likeness> EvaluationSource::likeness() const {
    if (!generator_ || generator_->conditions().kind() != ConditionKind::source)
        return std::nullopt;
    const auto& sources = generator_->conditions().sources();
    const auto towns = towns_in(tiles_, sources);
    if (towns.size() < 2) return std::nullopt;
    std::int64_t count = std::min(compared_.count, most_tiles);
    for (const TownRows& town : towns)
        count = std::min({count, std::ssize(town.test), std::ssize(town.train)});
    std::vector<quality::TownMaps> maps;
    for (const TownRows& town : towns)
        maps.push_back({town.name, drawn(count, town.source).stored,
                        read(tiles_, spread(town.test, count)).stored,
                        read(tiles_, spread(town.train, count)).stored});
    return quality::Likeness{count, quality::distances_between(maps, Seed{compared_.seed}),
                             std::ssize(sources) - std::ssize(towns)};
}

}  // namespace civitas::inference
