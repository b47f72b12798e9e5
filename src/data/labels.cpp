#include "civitas/data/labels.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/printable.hpp"

#include <algorithm>
#include <array>

namespace civitas::data {
namespace {

Labels stored_labels(const TileStore& store) {
    if (store.header().label_names.empty())
        throw UsageError(text(store.file(), " has no labels"),
                         Hint{"--labels source: the map that each tile comes from; or "
                              "civitas-preprocess --images FOLDER, which labels what it reads"});
    Labels labels{.of_tile = {}, .names = store.header().label_names};
    for (const TileRecord& record : store.records()) labels.of_tile.push_back(record.label);
    return labels;
}

/// A map without a tile is no class.
Labels source_labels(const TileStore& store) {
    const std::vector<SourceFile>& sources = store.header().sources;
    std::vector<bool> used(std::max<std::size_t>(1, sources.size()));
    for (const TileRecord& record : store.records()) used.at(record.source) = true;
    std::vector<std::uint16_t> label_of(used.size());
    Labels labels;
    for (std::size_t s = 0; s < used.size(); ++s) {
        if (!used[s]) continue;
        label_of[s] = static_cast<std::uint16_t>(labels.names.size());
        labels.names.push_back(s < sources.size() ? sources[s].name : "unknown");
    }
    for (const TileRecord& record : store.records())
        labels.of_tile.push_back(label_of.at(record.source));
    return labels;
}

void require_two_classes(const TileStore& store, const Labels& labels, LabelSource source) {
    if (labels.names.size() > 1) return;
    throw UsageError(
        text(store.file(), " has one class alone, '", printable(labels.names.front()),
             "' (--labels ", to_string(source), "): a classifier needs two or more"),
        Hint{source == LabelSource::source
                 ? "civitas-preprocess ONE.gpkg OTHER.gpkg --output BOTH.h5, or --labels stored"
                 : "civitas-preprocess --images FOLDER, with a folder for each class"});
}

void require_training_tiles(const TileStore& store, const Labels& labels) {
    std::vector<bool> trained(labels.names.size());
    for (std::size_t i = 0; i < labels.of_tile.size(); ++i)
        if (store.records()[i].split == Split::train) trained.at(labels.of_tile[i]) = true;
    std::string lacking;
    for (std::size_t c = 0; c < trained.size(); ++c)
        if (!trained[c])
            lacking += text(lacking.empty() ? "" : ", ", "'", printable(labels.names[c]), "'");
    if (!lacking.empty())
        throw UsageError(text(store.file(), " has no training tile of ", lacking),
                         Hint{"civitas-preprocess with a smaller --test-share, or without them"});
}

}  // namespace

Labels classes_of_tiles(const TileStore& store, LabelSource source) {
    return source == LabelSource::stored ? stored_labels(store) : source_labels(store);
}

Labels labels_of(const TileStore& store, LabelSource source) {
    Labels labels = classes_of_tiles(store, source);
    require_two_classes(store, labels, source);
    require_training_tiles(store, labels);
    return labels;
}

std::vector<std::string> lines_of_labels(const TileStore& store) {
    constexpr std::size_t most = 100;
    const auto& names = store.header().label_names;
    std::vector<std::array<std::int64_t, 2>> counts(names.size());
    for (const TileRecord& r : store.records())
        if (!names.empty()) ++counts.at(r.label).at(r.split == Split::train ? 0 : 1);
    std::vector<std::string> lines;
    for (std::size_t c = 0; c < std::min(most, names.size()); ++c)
        lines.push_back(text("label ", c, ": ", printable(names[c]), ", ", counts[c][0],
                             " to train, ", counts[c][1], " to test"));
    if (names.size() > most) lines.push_back(text("and ", names.size() - most, " more labels"));
    return lines;
}

}  // namespace civitas::data
