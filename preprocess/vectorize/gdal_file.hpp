#pragma once
/// What the three formats share: a dataset, features, and errors.
#include "map_file.hpp"

#include <optional>
#include <string>

namespace civitas::vectorize {

/// Where GDAL itself writes: a file of its own, one that is there already, or memory. Its writers
/// of text do not notice a full disk (that of DXF even runs over its stack), so they get memory,
/// and close() puts what they wrote on the disk.
enum class Through { disk, existing, memory };

/// A name in GDAL's file system in memory, free again at the end.
class MemoryFile {
public:
    MemoryFile();
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;
    ~MemoryFile();
    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    void copy_to(const std::filesystem::path& file, const std::string& heading) const;

private:
    std::string name_;
};

class GdalFile : public MapFile {
public:
    GdalFile(std::filesystem::path file, const char* driver, const Provenance& provenance,
             Through through, std::unique_ptr<OGRSpatialReference> crs,
             const CPLStringList& options = {});
    void close() override;

protected:
    OGRLayer& add_layer(const char* name, OGRwkbGeometryType type, CPLStringList options = {});
    void add_field(OGRLayer& layer, const char* name, OGRFieldType type,
                   OGRFieldSubType subtype = OFSTNone);
    /// synthetic, seed, checkpoint_fingerprint; setting them sets the field tile, too.
    void add_origin_fields(OGRLayer& layer);
    void set_origin_fields(OGRFeature& feature, std::int64_t tile) const;
    /// Those, and tile, area and perimeter.
    void add_plan_fields(OGRLayer& layer);
    void set_plan_fields(OGRFeature& feature, std::int64_t tile, const OGRPolygon& polygon) const;
    /// width and length, in metres; setting them sets those of the origin, too.
    void add_axis_fields(OGRLayer& layer);
    void set_axis_fields(OGRFeature& feature, std::int64_t tile, const RoadAxis& axis) const;
    void put(OGRLayer& layer, OGRFeature& feature, const OGRGeometry& shape);
    /// Text in front of what GDAL wrote in memory.
    void set_heading(std::string words) { heading_ = std::move(words); }
    /// Throws with GDAL's own words unless ok.
    void require(bool ok) const;
    [[nodiscard]] GDALDataset& dataset() { return *dataset_; }
    [[nodiscard]] const Provenance& provenance() const { return provenance_; }

private:
    [[nodiscard]] Dataset opened(GDALDriver& driver, Through through, const CPLStringList& options);

    QuietGdal errors_;
    Provenance provenance_;
    std::unique_ptr<OGRSpatialReference> crs_;
    std::filesystem::path file_;
    std::string heading_;
    std::optional<MemoryFile> memory_;
    Dataset dataset_;
};

[[nodiscard]] OGRLineString line_of(const RoadAxis& axis);

[[nodiscard]] std::unique_ptr<MapFile> make_geopackage(const MapTarget& target,
                                                       const Provenance& from);
[[nodiscard]] std::unique_ptr<MapFile> make_geojson(const std::filesystem::path& file,
                                                    const Provenance& from);
[[nodiscard]] std::unique_ptr<MapFile> make_cityjson(const MapTarget& target,
                                                     const Provenance& from);
[[nodiscard]] std::unique_ptr<MapFile> make_dxf(const std::filesystem::path& file,
                                                const Provenance& from);

}  // namespace civitas::vectorize
