// Buildings that the borders of tiles cut count once, with their whole area.
#include "preprocess/vectorize/joining.hpp"

#include "fields.hpp"
#include "row.hpp"
#include "stores.hpp"

using namespace civitas;
using namespace civitas::test;
using namespace civitas::vectorize;

namespace {

/// Four tiles of one map.
void write_quarters(const comm::Communicator& ranks, const std::string& file,
                    const data::StoreHeader& h, const ClassRaster& whole) {
    std::vector<data::TileRecord> records;
    std::vector<std::uint8_t> pixels;
    for (int i = 0; i < (ranks.is_root() ? 4 : 0); ++i) {
        const int column = i % 2, line = i / 2;
        data::TileRecord record;
        record.easting = 2600000 + column * kMetres;
        record.northing = 1200000 - line * kMetres;
        records.push_back(record);
        for (int y = 0; y < kSide; ++y) {
            const auto from =
                whole.classes.begin() + (line * kSide + y) * 2 * kSide + column * kSide;
            pixels.insert(pixels.end(), from, from + kSide);
        }
    }
    data::write_tile_store(ranks, file, h, records, pixels);
}

/// Of four tiles that are one generated plan.
data::StoreHeader header_of_grid() {
    auto h = header(true);
    h.texts["grid"] = "2x2";
    return h;
}

/// A big house over the corner of the four tiles, some over a border, one within.
ClassRaster village() {
    return drawn({{turned_rectangle({128, 128}, 40, 30, 15), kBuilding},
                  {turned_rectangle({60, 128}, 20, 24, 0), kBuilding},
                  {turned_rectangle({200, 60}, 20, 20, 5), kBuilding},
                  {turned_rectangle({128.5, 220}, 300, 8, 3), kRoad},
                  {turned_rectangle({128, 60}, 3, 20, 0), kBuilding}},
                 2 * kSide);
}

/// Buildings of so many pixels: columns and rows from the north-west.
struct Block {
    int column, row, columns, rows;
};

ClassRaster blocks(const std::vector<Block>& all) {
    auto raster = drawn({}, 2 * kSide);
    for (const auto& block : all) {
        for (int y = block.row; y < block.row + block.rows; ++y) {
            for (int x = block.column; x < block.column + block.columns; ++x)
                raster.classes[static_cast<std::size_t>(y * 2 * kSide + x)] = kBuilding;
        }
    }
    return raster;
}

struct Sums {
    std::int64_t buildings = 0, of_tiles = 0;
    double area = 0, smallest = 1e9, mean_times_number = 0, all = 0;
};

Sums sums_of(const std::string& file) {
    GDALAllRegister();
    const Dataset map(GDALDataset::Open(file.c_str(), GDAL_OF_VECTOR | GDAL_OF_READONLY));
    REQUIRE(map);
    Sums sums;
    for (const char* name : {"buildings", "roads", "other"}) {
        for (const auto& feature : *map->GetLayerByName(name)) {
            sums.all += feature->GetFieldAsDouble("area");
            CHECK(feature->GetGeometryRef()->IsValid());
        }
    }
    for (const auto& feature : *map->GetLayerByName("buildings")) {
        ++sums.buildings;
        sums.area += feature->GetFieldAsDouble("area");
        sums.smallest = std::min(sums.smallest, feature->GetFieldAsDouble("area"));
    }
    for (const auto& feature : *map->GetLayerByName("tiles")) {
        const auto number = feature->GetFieldAsInteger64("buildings");
        sums.of_tiles += number;
        sums.mean_times_number +=
            static_cast<double>(number) * feature->GetFieldAsDouble("mean_building");
    }
    return sums;
}

/// Ends of road axes on the borders between the quarters, and how many lines end at each.
std::map<std::pair<double, double>, int> ends_at_borders(const std::string& file) {
    GDALAllRegister();
    const Dataset map(GDALDataset::Open(file.c_str(), GDAL_OF_VECTOR | GDAL_OF_READONLY));
    REQUIRE(map);
    std::map<std::pair<double, double>, int> ends;
    for (const auto& feature : *map->GetLayerByName("road_axes")) {
        const auto& line = *feature->GetGeometryRef()->toLineString();
        for (const int i : {0, line.getNumPoints() - 1}) {
            if (line.getX(i) == 2600000 + kMetres || line.getY(i) == 1200000 - kMetres)
                ++ends[{line.getX(i), line.getY(i)}];
        }
    }
    return ends;
}

}  // namespace

TEST_CASE("A building over three tiles is one, of the tile that has most of it") {
    Joining joining(Neighbours(row(3), 100), 0.5);
    CHECK(joining.add(tile(0), {box(90, 10, 100, 20), box(10, 10, 20, 20)}).empty());
    CHECK(joining.add(tile(1), {box(100, 10, 200, 20)}).empty());
    const auto finished = joining.add(tile(2), {box(200, 10.5, 205, 20)});
    REQUIRE(finished.size() == 3);
    for (const auto& done : finished) {
        const auto number = done.figures.tile;
        CHECK(done.figures.buildings == (number == 2 ? 0 : 1));
        if (number == 0) CHECK(done.figures.mean_building == Approx(100));
        if (number != 1) continue;
        REQUIRE(done.buildings.size() == 1);
        CHECK(done.buildings[0].IsValid());
        CHECK(done.buildings[0].get_Area() == Approx(100 + 1000 + 47.5));
    }
}

TEST_CASE("What only touches in a point, or belongs to another map, stays apart") {
    Joining joining(Neighbours(row(3, 1), 100), 0.5);
    CHECK(joining.add(tile(0), {box(90, 10, 100, 20)}).empty());
    const auto two = joining.add(tile(1), {box(100, 20, 110, 30), box(190, 0, 200, 10)});
    REQUIRE(two.size() == 2);
    for (const auto& done : two) CHECK(done.figures.buildings == 1 + done.figures.tile);
    const auto last = joining.add(tile(2), {box(200, 0, 210, 10)});
    REQUIRE(last.size() == 1);
    CHECK(last[0].figures.buildings == 1);
}

TEST_CASE("Tiles come back in any order, each once, and nothing is held for ever") {
    std::vector<data::TilePlace> places;
    for (int i = 0; i < 64; ++i) places.push_back({i, 100.0 * (i % 8), -100.0 * (i / 8), 0});
    Joining joining(Neighbours(places, 100), 0.5);
    std::vector<std::size_t> order(places.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = (i * 37) % 64;
    std::set<std::int64_t> seen;
    std::int64_t buildings = 0;
    double area = 0;
    for (const auto i : order) {
        TileFigures figures;
        figures.tile = places[i].tile;
        figures.west = places[i].west, figures.south = places[i].south, figures.metres = 100;
        const double w = figures.west, s = figures.south;
        // A strip through each row of tiles, and a house in each tile.
        for (const auto& done : joining.add(
                 figures, {box(w, s + 40, w + 100, s + 50), box(w + 5, s, w + 15, s + 5)})) {
            CHECK(seen.insert(done.figures.tile).second);
            buildings += done.figures.buildings;
            for (const auto& b : done.buildings) area += b.get_Area();
        }
    }
    CHECK(seen.size() == 64);
    CHECK(buildings == 8 + 64);
    CHECK(area == Approx(64 * (1000 + 50)));
}

TEST_CASE("Sums of area and counts hold over the borders of tiles") {
    const auto ranks = comm::Communicator::world();
    const Folder folder(ranks);
    const auto store = folder / "tiles.h5", map = folder / "tiles.gpkg";
    write_quarters(ranks, store, header(false), village());
    REQUIRE(call({store.c_str(), "--output", map.c_str()}) == Exit::done);
    const auto sums = sums_of(map);
    const double pixel = kMetres / kSide;
    CHECK(sums.buildings == 4);
    CHECK(sums.of_tiles == 4);
    CHECK(sums.mean_times_number == Approx(sums.area));
    CHECK(sums.area == Approx((1200 + 480 + 400 + 60) * pixel * pixel).epsilon(0.03));
    CHECK(sums.all == Approx(4 * kMetres * kMetres).epsilon(1e-9));
}

TEST_CASE("What is too small to be drawn is known when its parts are joined") {
    const auto ranks = comm::Communicator::world();
    const Folder folder(ranks);
    const auto store = folder / "tiles.h5", map = folder / "tiles.gpkg";
    const double pixel = kMetres / kSide, minimum = Settings{}.minimum_area;
    REQUIRE(3 * pixel * pixel < minimum);
    REQUIRE(4 * pixel * pixel > minimum);
    const int border = kSide;
    write_quarters(ranks, store, header(false),
                   blocks({{border - 1, 20, 2, 3},             // 3 pixels in each of two tiles
                           {border - 1, 40, 3, 1},             // 1 and 2: too small
                           {border - 10, 60, 11, 2},           // 20 and 2
                           {200, border - 3, 1, 4},            // 3 and 1
                           {60, border - 2, 1, 2},             // 1 and 1: too small
                           {20, border - 3, 1, 3},             // 3 at the border, and no more
                           {border - 1, border - 1, 2, 2}}));  // 1 in each of four tiles
    REQUIRE(call({store.c_str(), "--output", map.c_str()}) == Exit::done);
    const auto sums = sums_of(map);
    CHECK(sums.buildings == 4);
    CHECK(sums.of_tiles == 4);
    CHECK(sums.area == Approx((6 + 22 + 4 + 4) * pixel * pixel).epsilon(0.01));
    CHECK(sums.smallest > minimum);
    CHECK(sums.all == Approx(4 * kMetres * kMetres).epsilon(1e-9));
}

TEST_CASE("Generated plans that lie side by side stay apart") {
    const auto ranks = comm::Communicator::world();
    const Folder folder(ranks);
    const auto store = folder / "plans.h5", map = folder / "plans.gpkg";
    write_quarters(ranks, store, header(true), village());
    REQUIRE(call({store.c_str(), "--output", map.c_str()}) == Exit::done);
    CHECK(sums_of(map).buildings > 4);
}

TEST_CASE("The tiles of one generated plan are joined") {
    const auto ranks = comm::Communicator::world();
    const Folder folder(ranks);
    const auto store = folder / "plan.h5", map = folder / "plan.gpkg";
    write_quarters(ranks, store, header_of_grid(), village());
    REQUIRE(call({store.c_str(), "--output", map.c_str()}) == Exit::done);
    CHECK(sums_of(map).buildings == 4);
}

TEST_CASE("Blocks of one plan go on over the borders of its tiles") {
    const auto ranks = comm::Communicator::world();
    const Folder folder(ranks);
    const auto store = folder / "plan.h5", map = folder / "plan.gpkg";
    write_quarters(ranks, store, header_of_grid(), plan_from_fields(2 * kSide, 1));
    REQUIRE(call({store.c_str(), "--output", map.c_str()}) == Exit::done);
    const Dataset opened(GDALDataset::Open(map.c_str(), GDAL_OF_VECTOR | GDAL_OF_READONLY));
    Polygons blocks;
    std::int64_t buildings = 0;
    for (const auto& feature : *opened->GetLayerByName("blocks")) {
        blocks.push_back(*feature->GetGeometryRef()->toPolygon());
        buildings += feature->GetFieldAsInteger64("buildings");
    }
    CHECK(dissolved(blocks).size() == blocks.size());
    CHECK(buildings == opened->GetLayerByName("buildings")->GetFeatureCount());
}

TEST_CASE("Road axes of one plan go on in the same point beyond the borders of its tiles") {
    const auto ranks = comm::Communicator::world();
    const Folder folder(ranks);
    const auto store = folder / "plan.h5", map = folder / "plan.gpkg";
    std::size_t crossings = 0;
    for (const unsigned seed : {1U, 2U, 3U}) {
        write_quarters(ranks, store, header_of_grid(), plan_from_fields(2 * kSide, seed));
        REQUIRE(call({store.c_str(), "--output", map.c_str(), "--overwrite"}) == Exit::done);
        for (const auto& [place, lines] : ends_at_borders(map)) {
            CHECK(lines == 2);
            ++crossings;
        }
    }
    CHECK(crossings > 5);
}

TEST_CASE("Pieces that cannot be joined are an error of their own, none of the map's file") {
    const QuietGdal file;
    Joining joining({row(2), 100}, 1);
    CHECK(joining.add(tile(0), {box(80, 10, 100, 20)}).empty());
    const OGRPolygon crossed = to_polygon({{{100, 10}, {100, 20}, {110, 10}, {110, 20}}, {}});
    CHECK_THROWS_WITH(
        joining.add(tile(1), {crossed}),
        Catch::Contains("building of tile 0 cannot be joined") && Catch::Contains("Hint: --tiles"));
    CHECK(file.failure().empty());
}
