#include "gdal_file.hpp"

#include "civitas/base/error.hpp"
#include "civitas/io/files.hpp"

#include <cpl_vsi.h>

namespace civitas::vectorize {

MemoryFile::MemoryFile() : name_(text("/vsimem/civitas-", this)) {}

MemoryFile::~MemoryFile() { VSIUnlink(name_.c_str()); }

void MemoryFile::copy_to(const std::filesystem::path& file, const std::string& heading) const {
    vsi_l_offset size = 0;
    const GByte* bytes = VSIGetMemFileBuffer(name_.c_str(), &size, FALSE);
    const std::span written(bytes, bytes == nullptr ? 0 : static_cast<std::size_t>(size));
    const auto out = io::RawFile::open_to_write(file);
    out.write_at(0, std::as_bytes(std::span(heading)));
    out.write_at(heading.size(), std::as_bytes(written));
}

GdalFile::GdalFile(std::filesystem::path file, const char* driver_name,
                   const Provenance& provenance, Through through,
                   std::unique_ptr<OGRSpatialReference> crs, const CPLStringList& options)
    : provenance_(provenance), crs_(std::move(crs)), file_(std::move(file)) {
    GDALAllRegister();
    auto* driver = GetGDALDriverManager()->GetDriverByName(driver_name);
    if (driver == nullptr) {
        throw Error(text("this GDAL has no ", driver_name, " driver"),
                    Hint{"ogrinfo --formats lists those it has; write another format"});
    }
    dataset_ = opened(*driver, through, options);
    require(dataset_ != nullptr);
}

Dataset GdalFile::opened(GDALDriver& driver, Through through, const CPLStringList& options) {
    if (through == Through::existing)
        return with_all_tables(file_.string(), driver.GetDescription(), GDAL_OF_UPDATE);
    if (through == Through::memory) {
        memory_.emplace();
    } else {
        std::filesystem::remove(file_);  // GDAL wants to make it itself
    }
    const std::string name = memory_ ? memory_->name() : file_.string();
    return Dataset(driver.Create(name.c_str(), 0, 0, 0, GDT_Unknown, options.List()));
}

void GdalFile::close() {
    dataset_.reset();
    require(errors_.failure().empty());
    if (memory_) memory_->copy_to(file_, heading_);
}

OGRLayer& GdalFile::add_layer(const char* name, OGRwkbGeometryType type, CPLStringList options) {
    auto* crs = type == wkbNone ? nullptr : crs_.get();
    auto* layer = dataset_->CreateLayer(name, crs, type, options.List());
    require(layer != nullptr);
    return *layer;
}

void GdalFile::add_field(OGRLayer& layer, const char* name, OGRFieldType type,
                         OGRFieldSubType subtype) {
    OGRFieldDefn field(name, type);
    field.SetSubType(subtype);
    require(layer.CreateField(&field) == OGRERR_NONE);
}

void GdalFile::add_origin_fields(OGRLayer& layer) {
    add_field(layer, "synthetic", OFTInteger, OFSTBoolean);
    add_field(layer, "seed", OFTString);
    add_field(layer, "checkpoint_fingerprint", OFTString);
}

void GdalFile::set_origin_fields(OGRFeature& feature, std::int64_t tile) const {
    feature.SetField("tile", static_cast<GIntBig>(tile));
    feature.SetField("synthetic", provenance_.synthetic ? 1 : 0);
    if (provenance_.seed) feature.SetField("seed", provenance_.seed->c_str());
    if (!provenance_.fingerprint.empty()) {
        feature.SetField("checkpoint_fingerprint", provenance_.fingerprint.c_str());
    }
}

void GdalFile::add_plan_fields(OGRLayer& layer) {
    add_field(layer, "tile", OFTInteger64);
    add_field(layer, "area", OFTReal);
    add_field(layer, "perimeter", OFTReal);
    add_origin_fields(layer);
}

void GdalFile::set_plan_fields(OGRFeature& feature, std::int64_t tile,
                               const OGRPolygon& polygon) const {
    set_origin_fields(feature, tile);
    feature.SetField("area", polygon.get_Area());
    feature.SetField("perimeter", perimeter(polygon));
}

void GdalFile::add_axis_fields(OGRLayer& layer) {
    add_field(layer, "width", OFTReal);
    add_field(layer, "length", OFTReal);
}

void GdalFile::set_axis_fields(OGRFeature& feature, std::int64_t tile, const RoadAxis& axis) const {
    set_origin_fields(feature, tile);
    feature.SetField("width", std::round(100 * axis.width) / 100);
    feature.SetField("length", line_of(axis).get_Length());
}

OGRLineString line_of(const RoadAxis& axis) {
    OGRLineString line;
    for (const Point p : axis.points) line.addPoint(p.x, p.y);
    return line;
}

void GdalFile::put(OGRLayer& layer, OGRFeature& feature, const OGRGeometry& shape) {
    feature.SetGeometry(&shape);
    require(layer.CreateFeature(&feature) == OGRERR_NONE);
}

void GdalFile::require(bool ok) const {
    if (!ok) {
        throw Error(text("cannot write ", file_.string(), ": ", errors_.failure()),
                    Hint{"is there room on the disk?"});
    }
}

std::unique_ptr<MapFile> make_map_file(const MapTarget& target, const Provenance& provenance) {
    switch (target.format) {
        case Format::geopackage: return make_geopackage(target, provenance);
        case Format::dxf: return make_dxf(target.file, provenance);
        case Format::cityjson: return make_cityjson(target, provenance);
        case Format::geojson: break;
    }
    return make_geojson(target.file, provenance);
}

}  // namespace civitas::vectorize
