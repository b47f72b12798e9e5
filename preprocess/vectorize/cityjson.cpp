#include "civitas/base/error.hpp"
#include "civitas/io/files.hpp"
#include "gdal_file.hpp"

#include <cpl_json.h>
#include <algorithm>
#include <array>
#include <map>
#include <sstream>
#include <string_view>

namespace civitas::vectorize {
namespace {

constexpr double kStorey = 3;  // metres from floor to floor
constexpr double kMillimetres = 1000;

std::string in_quotes(const std::string& words) {
    CPLJSONObject object;
    object.Add("words", words);
    return object.GetObj("words").Format(CPLJSONObject::PrettyFormat::Plain);
}

/// The outer ring against the clock, the holes with it, as seen from above.
std::vector<Ring> rings_from_above(const OGRPolygon& polygon) {
    auto shape = to_shape(polygon);
    std::vector<Ring> rings{std::move(shape.outer)};
    for (auto& hole : shape.holes) rings.push_back(std::move(hole));
    for (std::size_t i = 0; i < rings.size(); ++i) {
        if ((area(rings[i]) > 0) != (i == 0)) std::reverse(rings[i].begin(), rings[i].end());
    }
    return rings;
}

/// CityJSON 1.1 (https://www.cityjson.org/specs/1.1.3): buildings as blocks of one height (level of
/// detail 1, closed solids), roads and open ground as surfaces at height 0. Coordinates are whole
/// millimetres from a corner of the first object.
class CityJson : public MapFile {
public:
    CityJson(std::filesystem::path file, const Provenance& from, int floors)
        : file_(std::move(file)), from_(from), floors_(floors) {}

    void add(std::uint8_t land_class, const Polygons& polygons, std::int64_t tile) override {
        for (const auto& polygon : polygons) {
            const auto rings = rings_from_above(polygon);
            const bool building = land_class == kBuilding;
            begin_object(land_class, polygon, tile);
            objects_ << (building ? "\"Solid\",\"lod\":\"1\",\"boundaries\":[["
                                  : "\"MultiSurface\",\"lod\":\"0\",\"boundaries\":[");
            building ? add_block(rings) : add_surface(rings, 0, true);
            objects_ << (building ? "]]}]}" : "]}]}");
        }
    }
    void add_axes(const std::vector<RoadAxis>& /*axes*/, std::int64_t /*tile*/) override {}
    void add_tile(const TileFigures& /*tile*/) override {}

    void close() override {
        const auto file = io::RawFile::open_to_write(file_);
        std::uint64_t size = 0;
        const auto write = [&](std::string_view words) {
            file.write_at(size, std::as_bytes(std::span(words)));
            size += words.size();
        };
        std::ostringstream head, vertices;
        head.precision(15);
        head << R"({"type":"CityJSON","version":"1.1","transform":{"scale":[0.001,0.001,0.001],)"
             << R"("translate":[)" << origin_.x << ',' << origin_.y << ",0]},\"metadata\":{"
             << metadata() << "},\"CityObjects\":{";
        const char* before = "\n},\"vertices\":[\n";
        for (const auto& [x, y, z] : vertices_) {
            vertices << before << '[' << x << ',' << y << ',' << z << ']';
            before = ",\n";
        }
        vertices << (vertices_.empty() ? "\n},\"vertices\":[]}\n" : "]}\n");
        write(head.view());
        write(objects_.view());
        write(vertices.view());
    }

private:
    using Vertex = std::array<std::int64_t, 3>;

    [[nodiscard]] std::string metadata() const {
        std::string title = sentence_about(from_);
        if (!from_.licence.empty()) title += "; licence: " + from_.licence;
        std::string words = "\"title\":" + in_quotes(title);
        const auto crs = from_.anchored ? reference_system(from_) : nullptr;
        const char* code = crs == nullptr ? nullptr : crs->GetAuthorityCode(nullptr);
        if (code == nullptr) return words;
        return words + text(",\"referenceSystem\":\"https://www.opengis.net/def/crs/",
                            crs->GetAuthorityName(nullptr), "/0/", code, '"');
    }

    /// All but the kind of its geometry and what follows that.
    void begin_object(std::uint8_t land_class, const OGRPolygon& polygon, std::int64_t tile) {
        static constexpr std::array<const char*, 3> kTypes{"LandUse", "Road", "Building"};
        const auto& named = appearance(land_class).name;
        objects_ << (count_ == 0 ? "\n" : ",\n") << '"' << named << '-' << count_
                 << "\":{\"type\":\"" << kTypes.at(land_class)
                 << "\",\"attributes\":{\"tile\":" << tile
                 << ",\"area\":" << text(polygon.get_Area())
                 << ",\"synthetic\":" << (from_.synthetic ? "true" : "false");
        if (land_class == kBuilding) {
            objects_ << ",\"storeysAboveGround\":" << floors_
                     << ",\"measuredHeight\":" << kStorey * floors_;
        }
        if (from_.seed) objects_ << ",\"seed\":" << in_quotes(*from_.seed);
        if (!from_.fingerprint.empty())
            objects_ << ",\"checkpoint_fingerprint\":" << in_quotes(from_.fingerprint);
        objects_ << "},\"geometry\":[{\"type\":";
        ++count_;
    }

    /// Floor, roof and walls, each against the clock as seen from outside.
    void add_block(const std::vector<Ring>& rings) {
        const double height = kStorey * floors_;
        add_surface(rings, 0, false);
        objects_ << ',';
        add_surface(rings, height, true);
        for (const auto& ring : rings) {
            for (std::size_t i = 0; i < ring.size(); ++i) {
                const Point a = ring[i], b = ring[(i + 1) % ring.size()];
                objects_ << ",[[" << vertex(a, 0) << ',' << vertex(b, 0) << ',' << vertex(b, height)
                         << ',' << vertex(a, height) << "]]";
            }
        }
    }

    void add_surface(std::vector<Ring> rings, double height, bool upwards) {
        objects_ << '[';
        for (std::size_t r = 0; r < rings.size(); ++r) {
            if (!upwards) std::reverse(rings[r].begin(), rings[r].end());
            objects_ << (r == 0 ? "[" : ",[");
            for (std::size_t i = 0; i < rings[r].size(); ++i)
                objects_ << (i == 0 ? "" : ",") << vertex(rings[r][i], height);
            objects_ << ']';
        }
        objects_ << ']';
    }

    /// The number of a vertex; equal ones have the same.
    std::size_t vertex(Point p, double height) {
        if (vertices_.empty()) origin_ = {std::floor(p.x), std::floor(p.y)};
        const Vertex v{std::llround((p.x - origin_.x) * kMillimetres),
                       std::llround((p.y - origin_.y) * kMillimetres),
                       std::llround(height * kMillimetres)};
        const auto [at, fresh] = number_of_.emplace(v, vertices_.size());
        if (fresh) vertices_.push_back(v);
        return at->second;
    }

    std::filesystem::path file_;
    Provenance from_;
    int floors_;
    Point origin_;
    std::size_t count_ = 0;
    std::ostringstream objects_;
    std::vector<Vertex> vertices_;
    std::map<Vertex, std::size_t> number_of_;
};

}  // namespace

std::unique_ptr<MapFile> make_cityjson(const MapTarget& target, const Provenance& from) {
    return std::make_unique<CityJson>(target.file, from, target.floors);
}

}  // namespace civitas::vectorize
