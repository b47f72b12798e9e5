#pragma once
/// Plans as maps: GeoPackage, DXF, GeoJSON, CityJSON.
#include "blocks.hpp"
#include "figures.hpp"

#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace civitas::vectorize {

enum class Format { geopackage, dxf, geojson, cityjson };

/// By the ending of the name. Throws UsageError for any other ending.
[[nodiscard]] Format format_of(const std::filesystem::path& file);

/// Where the plans come from; travels with every map.
struct Provenance {
    std::string crs_wkt;              ///< empty: see crs_epsg
    std::int64_t crs_epsg = 0;        ///< 0: none
    bool synthetic = false;           ///< drawn by a generator, not surveyed
    bool anchored = true;             ///< false: synthetic, and at no place on Earth
    std::optional<std::string> seed;  ///< of 64 bits, in decimals: more than a double holds
    std::string fingerprint;          ///< of the checkpoint; empty: unknown
    std::string licence;              ///< one line
};

/// One map in the making.
class MapFile {
public:
    virtual ~MapFile() = default;
    /// Objects of a tile, all of one class, at their place.
    virtual void add(std::uint8_t land_class, const Polygons& polygons, std::int64_t tile) = 0;
    /// Centre lines of the roads of a tile.
    virtual void add_axes(const std::vector<RoadAxis>& axes, std::int64_t tile) = 0;
    /// Blocks of a tile; formats without layers of one's own leave them out.
    virtual void add_blocks(const std::vector<Block>& /*blocks*/, std::int64_t /*tile*/) {}
    /// The tile itself, once for each.
    virtual void add_tile(const TileFigures& tile) = 0;
    /// Writes what is left and closes. Throws Error when anything could not be written.
    virtual void close() = 0;
};

/// Where the map goes.
struct MapTarget {
    std::filesystem::path file;
    Format format = Format::geopackage;
    std::string layer_prefix = {};  ///< before the names of a GeoPackage's layers
    bool append = false;            ///< the file is a GeoPackage that keeps the layers it has
    int floors = 3;                 ///< of a building in a CityJSON
};

/// Throws Error when this GDAL lacks the driver or the file cannot be made.
[[nodiscard]] std::unique_ptr<MapFile> make_map_file(const MapTarget& target,
                                                     const Provenance& provenance);

/// The names of the layers that a GeoPackage gets.
[[nodiscard]] std::vector<std::string> layers_of_geopackage(const std::string& prefix);

/// The coordinate system, or null when there is none. Plans that are at no place on Earth get the
/// plane of GeoPackage's "undefined Cartesian" system, in metres.
[[nodiscard]] std::unique_ptr<OGRSpatialReference> reference_system(const Provenance& provenance);

/// In one sentence, for the metadata of a map.
[[nodiscard]] std::string sentence_about(const Provenance& provenance);

/// How a class is called and drawn.
struct Appearance {
    const char* layer;      ///< of a GeoPackage
    const char* name;       ///< of one object
    const char* fill;       ///< as in #rrggbb
    const char* outline;    ///< as in #rrggbb
    const char* cad_layer;  ///< GEOBAU, the Swiss survey's CAD exchange (SN 612 020)
    int cad_colour;         ///< AutoCAD colour index
};
/// Of the class with this value in a pixel.
[[nodiscard]] const Appearance& appearance(std::uint8_t land_class);

/// Layers of our own.
namespace cad {
inline constexpr auto kTiles = "CIVITAS_TILES", kRemarks = "CIVITAS_REMARKS",
                      kRoadAxes = "CIVITAS_ROAD_AXES";
}  // namespace cad

}  // namespace civitas::vectorize
