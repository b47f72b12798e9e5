#pragma once
/// Predictions of a classifier as tables, for people and for programs.
#include "civitas/inference/classification.hpp"

namespace civitas::inference {

/// For people: loss, top-1 and top-5; the confusion table of up to 12 classes, of more the pairs
/// that are confused most; precision and recall of up to 40 classes, of more those told worst.
/// Precondition: there is a tile, and every one has a class.
[[nodiscard]] std::string report_of(const std::vector<Prediction>& tiles,
                                    const std::vector<std::string>& names);
/// CSV: tile, easting, northing, label, told, probability; a column of logits for each class where
/// there are any.
[[nodiscard]] std::string csv_of(const Predictions& predictions, const data::TileStore& store,
                                 const std::vector<std::string>& names);
/// CSV: a row for each real class, a column for each that is told, counts of tiles.
[[nodiscard]] std::string csv_of(const Confusion& confusion, const std::vector<std::string>& names);

}  // namespace civitas::inference
