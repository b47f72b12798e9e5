#pragma once
/// A town as a GeoPackage.
#include "town.hpp"

#include <filesystem>

namespace civitas::survey {

/// Writes the layer `lcsf` on the ground of the choice, see place_of(). Equal towns give equal
/// bytes.
void write_town(const std::filesystem::path& gpkg, const Town& town, const TownChoice& choice);

}  // namespace civitas::survey
