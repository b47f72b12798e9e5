#pragma once
/// The built-in synthetic survey: a different European town for each seed and style, in the schema
/// of the land cover layer of the Swiss official survey, at a place where there is none.
#include "civitas/io/files.hpp"
#include "style.hpp"

#include <filesystem>

namespace civitas::survey {

/// Writes a GeoPackage with one layer `lcsf` (fields BFSNr, Qualitaet, Art, GWR_EGID, Kanton;
/// EPSG:2056, metres): polygons that cover a square of 6.5 km without gaps or overlaps. Equal
/// choices give the same features in the same order, and the same bytes with the same GDAL. The
/// file appears under its name only when it is complete. Errors: Error if it cannot be written.
void write_survey(const std::filesystem::path& gpkg, const TownChoice& choice,
                  io::Replace replace = io::Replace::yes);

}  // namespace civitas::survey
