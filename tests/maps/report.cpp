// The page of what became of maps says what the store says, whatever the number of ranks.
#include "civitas/io/files.hpp"
#include "civitas/report/page.hpp"
#include "made_map.hpp"
#include "preprocess/map_report/page.hpp"
#include "preprocess/maps/account.hpp"
#include "preprocess/maps/edge.hpp"
#include "preprocess/maps/geometry.hpp"
#include "preprocess/maps/program.hpp"
#include "support/agree.hpp"
#include "support/shared_folder.hpp"

#include <numeric>
#include <regex>

using namespace civitas;
using namespace civitas::maps;
using namespace civitas::maps::test;
using civitas::test::SharedFolder;
using map_report::Ground;

namespace {

/// Houses on a square kilometre, few in its south, and streets, none in a part of its north.
MadeLayer town(double east) {
    MadeLayer layer;
    layer.features = {{"Gartenanlage", rectangle(east, 0, 1000, 1000)}};
    for (int i = 0; i < 20; ++i)
        for (int j = 0; j < 20; ++j)
            if (j > 3 || (i + j) % 4 == 0)
                layer.features.push_back(
                    {"Gebaeude", rectangle(east + 50 * i, 50 * j, 14 + (7 * i + 3 * j) % 9, 20)});
    for (int j = 0; j < 20; ++j)
        if (j < 13 || j > 17)
            layer.features.push_back({"Strasse_Weg", rectangle(east, 50 * j + 36, 1000, 8)});
    return layer;
}

/// Two towns far from each other; what is mended, and what is not understood.
void write_towns(const std::filesystem::path& folder) {
    MadeLayer first = town(0);
    first.features.push_back({"Huettchen <b>", rectangle(10, 10, 5, 5)});
    first.features.push_back({"Gebaeude",
                              "POLYGON((2600020 1200500, 2600040 1200520, 2600040 "
                              "1200500, 2600020 1200520, 2600020 1200500))"});
    write_map(folder / "first.gpkg", {first});
    write_map(folder / "second.gpkg", {town(20000)});
}

Settings towns(const std::filesystem::path& folder, const std::string& name) {
    Settings settings;
    settings.inputs = {folder / "first.gpkg", folder / "second.gpkg"};
    settings.output = folder / (name + ".h5");
    settings.report = folder / (name + ".html");
    settings.tile_metres = 100;
    settings.stride_metres = 50;
    settings.pixels = 32;
    settings.variance_quantile = 0.1;
    settings.test_share = 0.2;
    return settings;
}

/// All that a pattern with one group finds.
std::vector<std::string> found(const std::string& page, const std::string& pattern) {
    const std::regex words(pattern);
    std::vector<std::string> all;
    for (auto it = std::sregex_iterator(page.begin(), page.end(), words);
         it != std::sregex_iterator(); ++it)
        all.push_back(it->str(1));
    return all;
}

std::int64_t sum(const std::vector<std::string>& numbers) {
    return std::accumulate(
        numbers.begin(), numbers.end(), std::int64_t{0},
        [](std::int64_t all, const std::string& one) { return all + std::stoll(one); });
}

std::string swatch(const std::string& style) { return "<i class=\"" + style + "\"></i>[^<]*: "; }

/// A ground of one row.
Ground ground_of(const std::vector<std::int64_t>& cells, const std::vector<std::uint16_t>& sources,
                 std::int64_t columns) {
    Ground ground{
        .tile_metres = 100, .stride_metres = 100, .columns = {0, columns}, .rows = {0, 1}};
    ground.cells = cells;
    for (const auto source : sources) ground.tiles.push_back({0.5F, 0.25F, source, Fate::training});
    for (auto& name : ground.names) name = "tiles";
    return ground;
}

std::string page_of(const Ground& ground, const data::StoreHeader& header) {
    return map_report::to_page(header, {.ground = ground},
                               map_report::Kept(header.sources.size(), {1, 0}), {});
}

}  // namespace

TEST_CASE("the page has the numbers of the store, and every reason of leaving out") {
    const auto world = comm::Communicator::world();
    const SharedFolder folder(world, "report");
    if (world.is_root()) write_towns(folder.path());
    world.barrier();
    Log silent(Rank{1});
    preprocess(world, towns(folder.path(), "together"), silent);
    const auto store = data::TileStore::open(world, folder.path() / "together.h5");
    const std::string page = io::read_text_file(folder.path() / "together.html");

    const std::array both{store.rows(data::Split::train).size(),
                          store.rows(data::Split::test).size()};
    CHECK(both[1] > 0);
    CHECK_THAT(page, Catch::Contains(text(store.size(), " tiles: ", both[0], " to train, ", both[1],
                                          " to test")));
    std::map<std::uint16_t, std::array<int, 2>> of_source;
    for (const auto& record : store.records())
        ++of_source[record.source][static_cast<std::size_t>(record.split)];
    REQUIRE(of_source.size() == 2);
    for (const auto& [source, kept] : of_source)
        CHECK_THAT(page, Catch::Contains(store.header().sources[source].hash) &&
                             Catch::Contains(text("<span class=\"value\">", kept[0], " + ", kept[1],
                                                  "</span>")));

    auto reasons = store.header().dropped;
    reasons[mended_polygons] =
        static_cast<std::int64_t>(store.header().numbers.at("mended_polygons"));
    for (const auto& [reason, count] : reasons) {
        const auto row = text("<th scope=\"row\">", count, "</th><td>", report::escaped(reason));
        CAPTURE(reason);
        CHECK((page.find(row) != std::string::npos) == (count > 0));
    }
    CHECK(reasons.at(mended_polygons) == 1);
    CHECK(page.find("Huettchen <b>") == std::string::npos);

    // By fate: the map, its legend, the store.
    const auto settings = towns(folder.path(), "");
    const auto edge = maps::name_of(EdgeOf::land_cover);
    for (std::size_t fate = 0; fate < map_report::number_of_fates; ++fate) {
        const auto name = maps::name_of(static_cast<Fate>(fate), settings, edge);
        const std::int64_t expected =
            fate < 2 ? static_cast<std::int64_t>(both.at(fate)) : reasons.at(name);
        const auto style = text('f', fate);
        CAPTURE(name);
        CHECK(expected > 0);
        CHECK(sum(found(page, swatch(style) + R"((\d+)<)")) == expected);
        std::int64_t drawn = 0;
        for (const auto& path : found(page, "<path class=\"" + style + "\" d=\"([^\"]*)\""))
            drawn += sum(found(path, R"(h(\d+)v)"));
        CHECK(drawn == expected);
    }
    CHECK(sum(found(page, swatch("unseen") + R"((\d+)<)")) == reasons.at(without_features));
    CHECK(found(page, "(<svg class=\"map\")").size() == 2);
    CHECK(found(page, "<h3>([^<]*gpkg)").size() == 2);
    const auto in_histograms = found(page, swatch("k0") + R"((\d+)<)");
    CHECK(in_histograms.size() == 2);
    CHECK(sum(in_histograms) == 2 * static_cast<std::int64_t>(both[0]));

    if (world.is_root())
        preprocess(comm::Communicator::self(), towns(folder.path(), "alone"), silent);
    world.barrier();
    REQUIRE_ALL(world, io::read_text_file(folder.path() / "alone.html") == page);
}

TEST_CASE("sources on common ground are drawn together, others apart") {
    data::StoreHeader header{.pixels = 8, .sources = {{"a", ""}, {"b", ""}, {"c", ""}}};
    const auto maps_of = [&](const std::vector<std::int64_t>& cells,
                             const std::vector<std::uint16_t>& sources) {
        return found(page_of(ground_of(cells, sources, 100), header), "(<svg class=\"map\")")
            .size();
    };
    CHECK(maps_of({0, 1, 2, 3}, {0, 0, 1, 1}) == 1);     // side by side
    CHECK(maps_of({0, 1, 3, 4}, {0, 0, 1, 1}) == 2);     // with a gap
    CHECK(maps_of({0, 10, 50, 90}, {0, 1, 2, 0}) == 1);  // one around the others
    CHECK(maps_of({0, 10, 20, 30}, {0, 1, 2, 1}) == 2);  // two of three
    CHECK(maps_of({0, 20, 10, 30}, {2, 2, 0, 1}) == 2);  // in any order
}

TEST_CASE("the page stays small: squares for many tiles, names for many sources") {
    data::StoreHeader header{.pixels = 8, .sources = {{"a", ""}}};
    Ground ground = ground_of({}, {}, 400);
    ground.rows = {-7, 500};
    for (std::int64_t cell = 0; cell < 200'000; ++cell) {
        ground.cells.push_back(cell);
        ground.tiles.push_back({0.5F, 0.25F, 0, cell % 3 == 0 ? Fate::test : Fate::training});
    }
    const std::string page = page_of(ground, header);
    CHECK(page.size() < 2'000'000);
    CHECK_THAT(page, Catch::Contains("A square stands for 2 x 2 tiles"));

    std::vector<std::int64_t> cells(5000);
    std::vector<std::uint16_t> sources(5000);
    header.sources.clear();
    for (std::size_t i = 0; i < cells.size(); ++i) {
        cells[i] = static_cast<std::int64_t>(3 * i);
        sources[i] = static_cast<std::uint16_t>(i);
        header.sources.push_back({text("map ", i), ""});
    }
    // The last place has a tile more than the others.
    cells.push_back(cells.back() + 1);
    sources.push_back(sources.back());
    const std::string many = page_of(ground_of(cells, sources, 15'000), header);
    CHECK(many.size() < 200'000);
    CHECK(found(many, "(<svg class=\"map\")").size() == 12);
    CHECK_THAT(many, Catch::Contains("<h3>map 4999</h3>") && Catch::Contains("4988 more places") &&
                         Catch::Contains("4900 more") && Catch::Contains("all others</span>") &&
                         Catch::Contains("map 0, map 1, map 2 and 4997 more"));
}

TEST_CASE("a map of which nothing is kept has its row, a companion of a map has none") {
    data::StoreHeader header{.pixels = 8,
                             .sources = {{"town.shp", ""}, {"town.dbf", ""}, {"far", ""}}};
    const std::string page = map_report::to_page(
        header, {.read = {0, 2}, .ground = ground_of({0}, {0}, 1)}, {{1, 0}, {0, 0}, {0, 0}}, {});
    CHECK(found(page, "<span class=\"value\">([^<]*)") ==
          std::vector<std::string>{"1 + 0", "0 + 0"});
}

TEST_CASE("axes of a map are in its coordinates") {
    data::StoreHeader header{.pixels = 8, .sources = {{"a", ""}}};
    Ground ground = ground_of({0, 5, 9}, {0, 0, 0}, 10);
    ground.columns.begin = 26'000;  // 2600 km east
    ground.rows.begin = -12'000;    // 1200 km north, southwards
    const std::string page = page_of(ground, header);
    // From half a tile before the first to half a tile behind the last: 1.1 km.
    CHECK_THAT(page, Catch::Contains("viewBox=\"-0.5 -2.5 11 6\"") &&
                         Catch::Contains("<span style=\"left:4.5%\">2600.0</span>") &&
                         Catch::Contains("<span style=\"left:95.5%\">2601.0</span>") &&
                         Catch::Contains("<span style=\"bottom:58.3%\">1200.0</span>") &&
                         Catch::Contains(">200 m, north is up<"));
}

TEST_CASE("whatever files hold, a page has words") {
    data::StoreHeader header{.pixels = 8, .sources = {{"<b>\x1b[31m.gpkg", "<b>\x01"}}};
    header.licence = header.command = "<b>\x07";
    map_report::Account account{.system = "<b>\x02",
                                .said = {"<b>\x03"},
                                .left_out = {{"<b>\x04", 1}},
                                .ground = ground_of({0}, {0}, 1)};
    const std::string page = map_report::to_page(header, account, {{1, 0}}, {});
    CHECK(page.find("<b>") == std::string::npos);
    CHECK(
        std::all_of(page.begin(), page.end(), [](unsigned char c) { return c == '\n' || c > 31; }));
    CHECK(found(page, "(&lt;b&gt;)").size() >= 7);
}
