#include "gdal_file.hpp"

#include "civitas/base/error.hpp"
#include "placing.hpp"

namespace civitas::vectorize {
namespace {

using Transformation = std::unique_ptr<OGRCoordinateTransformation>;

/// Degrees, longitude first.
std::unique_ptr<OGRSpatialReference> wgs84() {
    auto crs = std::make_unique<OGRSpatialReference>();
    crs->SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
    crs->importFromEPSG(4326);
    return crs;
}

/// What the plans' metres are metres of; null: unknown. Plans at no place on Earth have to be on it
/// in this format: they lie in the sea around "Null Island", at 0 degrees north and east.
std::unique_ptr<OGRSpatialReference> metres_of(const Provenance& from) {
    if (from.anchored) return reference_system(from);
    auto crs = std::make_unique<OGRSpatialReference>();
    crs->SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
    crs->SetWellKnownGeogCS("WGS84");
    crs->SetTM(0, 0, 1, 0, 0);
    return crs;
}

constexpr double kCells = 1e7;  // per degree

/// A member of the collection that RFC 7946 leaves to us.
std::string with_licence(const std::string& licence) {
    CPLJSONObject collection;
    collection.Add("type", "FeatureCollection");
    collection.Add("licence", licence);
    return collection.Format(CPLJSONObject::PrettyFormat::Plain);
}

/// RFC 7946 wants WGS 84. Seven decimals are a centimetre.
class GeoJson : public GdalFile {
public:
    GeoJson(const std::filesystem::path& file, const Provenance& from)
        : GdalFile(file, "GeoJSON", from, Through::memory,
                   metres_of(from) == nullptr ? nullptr : wgs84()) {
        CPLStringList options;
        options.SetNameValue("DESCRIPTION", sentence_about(from).c_str());
        if (!from.licence.empty()) {
            options.SetNameValue("NATIVE_MEDIA_TYPE", "application/vnd.geo+json");
            options.SetNameValue("NATIVE_DATA", with_licence(from.licence).c_str());
        }
        if (const auto metres = metres_of(from)) {
            to_degrees_.reset(OGRCreateCoordinateTransformation(metres.get(), wgs84().get()));
            require(to_degrees_ != nullptr);
            options.SetNameValue("RFC7946", "YES");
            options.SetNameValue("COORDINATE_PRECISION", "7");
        }
        layer_ = &add_layer("plans", wkbUnknown, options);
        add_field(*layer_, "class", OFTString);
        add_plan_fields(*layer_);
        add_axis_fields(*layer_);
    }
    void add(std::uint8_t land_class, const Polygons& polygons, std::int64_t tile) override {
        for (const auto& polygon : polygons) {
            OGRFeature feature(layer_->GetLayerDefn());
            feature.SetField("class", appearance(land_class).name);
            set_plan_fields(feature, tile, polygon);
            const auto there = to_degrees_ ? in_degrees(polygon) : std::optional(polygon);
            if (there) put(*layer_, feature, *there);
        }
    }
    void add_axes(const std::vector<RoadAxis>& axes, std::int64_t tile) override {
        for (const auto& axis : axes) {
            OGRFeature feature(layer_->GetLayerDefn());
            feature.SetField("class", "road_axis");
            set_axis_fields(feature, tile, axis);
            auto there = axis;
            if (to_degrees_) {
                for (auto& p : there.points) p = Placement{in_degrees(), kCells}(p);
                const auto last = std::unique(there.points.begin(), there.points.end());
                there.points.erase(last, there.points.end());
            }
            if (there.points.size() > 1) put(*layer_, feature, line_of(there));
        }
    }
    void add_tile(const TileFigures& /*tile*/) override {}

private:
    /// Valid there too; nothing where the decimals leave no interior. Equal points stay equal, so
    /// neighbours still share their borders.
    [[nodiscard]] std::optional<OGRPolygon> in_degrees(const OGRPolygon& polygon) const {
        auto parts = at_place({polygon}, {in_degrees(), kCells}).front();
        if (parts.empty()) return std::nullopt;
        return *std::max_element(parts.begin(), parts.end(),
                                 [](auto& a, auto& b) { return a.get_Area() < b.get_Area(); });
    }
    [[nodiscard]] std::function<Point(Point)> in_degrees() const {
        return [this](Point p) {
            if (to_degrees_->Transform(1, &p.x, &p.y)) return p;
            throw Error(text("the point ", p.x, ", ", p.y, " of the store's coordinate system has ",
                             "no longitude and latitude"),
                        Hint{"civitas inspect shows the coordinate system; a .gpkg keeps it"});
        };
    }
    Transformation to_degrees_;
    OGRLayer* layer_ = nullptr;
};

}  // namespace

std::unique_ptr<MapFile> make_geojson(const std::filesystem::path& file, const Provenance& from) {
    return std::make_unique<GeoJson>(file, from);
}

}  // namespace civitas::vectorize
