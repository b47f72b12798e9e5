#pragma once
/// Plans as maps: GeoPackage, DXF, GeoJSON.
#include "preprocess/vectorize/figures.hpp"

#include <filesystem>
#include <optional>

namespace civitas::vectorize {

enum class Format { geopackage, dxf, geojson };

/// By the ending of the name. Throws UsageError for any other ending.
[[nodiscard]] Format format_of(const std::filesystem::path& file);

/// Where the plans come from; travels with every map.
struct Provenance {
    std::string crs_wkt;        ///< empty: see crs_epsg
    std::int64_t crs_epsg = 0;  ///< 0: none
    bool synthetic = false;     ///< drawn by a generator, not surveyed
    std::optional<std::int64_t> seed;
    std::string fingerprint;  ///< of the checkpoint; empty: unknown
    std::string licence;
};

/// A plan at its place.
struct PlacedPlan {
    Plan plan;
    TileFigures figures;
    double tile_metres = 250;
};

/// One map in the making.
class MapFile {
public:
    virtual ~MapFile() = default;
    virtual void add(const PlacedPlan& tile) = 0;
    /// Writes what is left and closes. Throws Error when anything could not be written.
    virtual void close() = 0;
};

/// Throws Error when this GDAL lacks the driver or the file cannot be made.
[[nodiscard]] std::unique_ptr<MapFile> make_map_file(const std::filesystem::path& file,
                                                     Format format, const Provenance& provenance);

/// The coordinate system, or null when there is none.
[[nodiscard]] std::unique_ptr<OGRSpatialReference> reference_system(const Provenance& provenance);

/// In one sentence, for the metadata of a map.
[[nodiscard]] std::string sentence_about(const Provenance& provenance);

/// GEOBAU layers of the Swiss survey's CAD exchange (SN 612 020), and two of our own.
namespace cad {
inline constexpr auto kBuildings = "01211", kRoads = "01221", kOther = "01231";
inline constexpr auto kTiles = "CIVITAS_TILES", kRemarks = "CIVITAS_REMARKS";
}  // namespace cad

}  // namespace civitas::vectorize
