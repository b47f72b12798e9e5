#pragma once
/// A town as a GeoPackage.
#include "town.hpp"

#include <filesystem>

namespace civitas::survey {

/// Writes the layer `lcsf` at the survey's national coordinates. Equal towns give equal bytes.
void write_town(const std::filesystem::path& gpkg, const Town& town, Seed seed);

}  // namespace civitas::survey
