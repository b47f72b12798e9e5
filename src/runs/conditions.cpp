#include "civitas/runs/conditions.hpp"

#include "civitas/base/printable.hpp"
#include "civitas/base/text.hpp"
#include "civitas/checkpoint/checkpoint.hpp"
#include "civitas/data/labels.hpp"
#include "civitas/runs/class_names.hpp"
#include "civitas/runs/facts.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>
#include <sstream>
#include <utility>

namespace civitas::runs {
namespace {

using conditions::Conditions;
using conditions::Cover;
using conditions::Source;
using conditions::Wish;
using Texts = std::map<std::string, std::string>;

const std::string scale_fact = "condition-scale";
const std::string sample_note = "condition-sample";
const std::string tiles_note = "source-tiles";
/// Of the training tiles that a checkpoint keeps, evenly spread: their text has 2 kB.
constexpr std::int64_t most_kept = 128;

Cover cover_of(const data::TileRecord& tile) {
    return {tile.cover.at(static_cast<std::size_t>(LandClass::building)),
            tile.cover.at(static_cast<std::size_t>(LandClass::road))};
}

Conditions by_cover(const data::TileStore& store) {
    std::vector<Cover> tiles;
    for (const TileIndex row : store.rows(data::Split::train))
        tiles.push_back(cover_of(store.records()[static_cast<std::size_t>(row)]));
    const auto scale = conditions::scale_of(tiles);
    const std::int64_t kept = std::min(most_kept, std::ssize(tiles));
    std::vector<Cover> sample;
    for (std::int64_t i = 0; i < kept; ++i) {
        const Cover& tile = tiles[static_cast<std::size_t>(i * std::ssize(tiles) / kept)];
        constexpr double steps = 1e4;
        sample.push_back(
            {std::round(tile.building * steps) / steps, std::round(tile.road * steps) / steps});
    }
    return {scale, std::move(sample)};
}

void require_sources(const data::TileStore& store, const data::Labels& labels) {
    const auto count = std::ssize(labels.names);
    if (count < 2)
        throw UsageError(text(store.file(), " is of one source alone, '",
                              printable(labels.names.front()), "': --condition source needs two"),
                         Hint{"civitas-preprocess ONE.gpkg OTHER.gpkg --output BOTH.h5, or "
                              "--condition cover"});
    if (count > most_sources)
        throw UsageError(text(store.file(), " is of ", count, " sources, --condition source takes ",
                              most_sources, " at most"),
                         Hint{"fewer maps, or --condition cover"});
    if (note_of_classes(labels.names).at(class_names_note).size() > checkpoint::longest_fact)
        throw UsageError(text("the names of the ", count, " sources of ", store.file(),
                              " are longer than a checkpoint keeps"),
                         Hint{"civitas-preprocess of files with shorter names"});
}

Conditions by_source(const data::TileStore& store) {
    const data::Labels labels = data::classes_of_tiles(store, LabelSource::source);
    require_sources(store, labels);
    std::vector<std::int64_t> tiles(labels.names.size());
    for (const TileIndex row : store.rows(data::Split::train))
        ++tiles.at(labels.of_tile[static_cast<std::size_t>(row)]);
    const auto lacking = std::find(tiles.begin(), tiles.end(), 0);
    if (lacking != tiles.end())
        throw UsageError(
            text(store.file(), " has no training tile of '",
                 printable(labels.names[static_cast<std::size_t>(lacking - tiles.begin())]), "'"),
            Hint{"civitas-preprocess with a smaller --test-share, or without this map"});
    return {labels.names, std::move(tiles)};
}

/// The fewest digits that read back to the same number.
std::string word_of(double value) {
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    return {digits.data(), end};
}

template <class Numbers>
std::string words_of(const Numbers& numbers) {
    return join(numbers, " ", [](auto number) { return word_of(static_cast<double>(number)); });
}

/// What a checkpoint says under a name. Throws Error where it says something else than `what`.
class Said {
public:
    Said(const Texts& texts, std::string name, std::string what)
        : name_(std::move(name)), what_(std::move(what)) {
        const auto found = texts.find(name_);
        words_ = found == texts.end() ? "" : found->second;
    }
    void require(bool ok) const {
        if (!ok)
            throw Error(text("the checkpoint says ", name_, " = '", printable(words_.substr(0, 80)),
                             "', expected ", what_),
                        Hint{"was it written by this program?"});
    }
    /// Numbers from 0 to `most`.
    [[nodiscard]] std::vector<double> numbers(double most) const {
        std::vector<double> values;
        std::istringstream in(words_);
        for (std::string word; in >> word;) {
            double value = -1;
            const char* last = word.data() + word.size();
            const auto [end, error] = std::from_chars(word.data(), last, value);
            require(error == std::errc{} && end == last && value >= 0 && value <= most);
            values.push_back(value);
        }
        return values;
    }

private:
    std::string name_, what_, words_;
};

Conditions cover_in(const checkpoint::Header& header) {
    const Said said_scale(header.facts, scale_fact,
                          "mean and deviation of buildings, then of roads");
    const std::vector<double> shares = said_scale.numbers(1);
    said_scale.require(shares.size() == 4 && shares[1] > 0 && shares[3] > 0);
    const conditions::CoverScale scale{{shares[0], shares[1]}, {shares[2], shares[3]}};
    const Said said_sample(header.notes, sample_note, "shares of buildings and roads in turn");
    const std::vector<double> kept = said_sample.numbers(1);
    said_sample.require(!kept.empty() && kept.size() % 2 == 0);
    std::vector<Cover> sample;
    for (std::size_t i = 0; i < kept.size(); i += 2) sample.push_back({kept[i], kept[i + 1]});
    return {scale, std::move(sample)};
}

Conditions sources_in(const checkpoint::Header& header, std::int64_t count) {
    constexpr double most_tiles = 1e12;
    const Said said(header.notes, tiles_note, text("tiles of ", count, " named sources"));
    std::vector<std::int64_t> tiles;
    for (const double number : said.numbers(most_tiles))
        tiles.push_back(static_cast<std::int64_t>(number));
    auto names = class_names(header.notes);
    said.require(std::ssize(tiles) == count && std::ssize(names) == count &&
                 std::accumulate(tiles.begin(), tiles.end(), std::int64_t{0}) > 0);
    return {std::move(names), std::move(tiles)};
}

}  // namespace

std::vector<Wish> wishes_of_tiles(ConditionKind kind, const data::TileStore& store) {
    std::vector<Wish> wishes(store.records().size());
    if (kind == ConditionKind::cover) {
        std::transform(store.records().begin(), store.records().end(), wishes.begin(), cover_of);
    } else if (kind == ConditionKind::source) {
        const auto labels = data::classes_of_tiles(store, LabelSource::source).of_tile;
        std::transform(labels.begin(), labels.end(), wishes.begin(),
                       [](std::uint16_t label) { return Source{label}; });
    }
    return wishes;
}

Conditions conditions_of(ConditionKind kind, const data::TileStore& store) {
    if (kind == ConditionKind::none) return {};
    return kind == ConditionKind::cover ? by_cover(store) : by_source(store);
}

Texts facts_of(const Conditions& conditions) {
    if (conditions.kind() == ConditionKind::none) return {};
    if (conditions.kind() == ConditionKind::source)
        return {{sources_fact, note_of_classes(conditions.sources()).at(class_names_note)}};
    const auto& [building, road] = conditions.scale();
    return {{scale_fact,
             words_of(std::vector{building.mean, building.deviation, road.mean, road.deviation})}};
}

Texts notes_of(const Conditions& conditions) {
    if (conditions.kind() == ConditionKind::none) return {};
    if (conditions.kind() == ConditionKind::cover) {
        std::vector<double> sample;
        for (const Cover& tile : conditions.sample())
            sample.insert(sample.end(), {tile.building, tile.road});
        return {{sample_note, words_of(sample)}};
    }
    Texts notes = note_of_classes(conditions.sources());
    notes[tiles_note] = words_of(conditions.tiles());
    return notes;
}

Conditions conditions_in(const planner::Problem& problem, const checkpoint::Header& header) {
    switch (problem.condition()) {
        case ConditionKind::none: return {};
        case ConditionKind::cover: return cover_in(header);
        case ConditionKind::source: return sources_in(header, problem.nets.conditions());
    }
    return {};
}

}  // namespace civitas::runs
