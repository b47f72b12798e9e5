// Every way a user can go wrong ends in a message, on all ranks together, and leaves nothing.
#include "civitas/comm/agree.hpp"
#include "made_map.hpp"
#include "preprocess/maps/program.hpp"
#include "support/agree.hpp"
#include "support/temporary.hpp"

#include <fstream>

using namespace civitas;
using namespace civitas::maps;
using namespace civitas::maps::test;
using civitas::test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

struct Refusal {
    std::string message;
    bool usage = false;
};

/// What all ranks are told; nothing if the work is done.
Refusal refused(const Settings& settings) {
    const auto world = comm::Communicator::world();
    Log log(Rank{1});
    try {
        preprocess(world, settings, log);
    } catch (const civitas::AgreedError& e) {
        return {e.what(), e.usage()};
    }
    return {};
}

/// A folder that all ranks know, made by the first.
class SharedFolder {
public:
    SharedFolder() : world_(comm::Communicator::world()) {
        if (world_.is_root()) own_.emplace("refusals");
        path_ = world_.broadcast(own_ ? own_->path().string() : std::string());
    }
    ~SharedFolder() { world_.barrier(); }
    SharedFolder(const SharedFolder&) = delete;
    SharedFolder& operator=(const SharedFolder&) = delete;

    [[nodiscard]] std::string operator/(const char* name) const { return path_ + "/" + name; }
    /// A map of these layers, written by the first rank.
    [[nodiscard]] std::string map(const char* name, const std::vector<MadeLayer>& layers) const {
        if (world_.is_root()) write_map(path_ + "/" + name, layers);
        world_.barrier();
        return path_ + "/" + name;
    }
    [[nodiscard]] std::string file(const char* name, const std::string& content) const {
        if (world_.is_root()) std::ofstream(path_ + "/" + name) << content;
        world_.barrier();
        return path_ + "/" + name;
    }
    [[nodiscard]] bool holds_output() const {
        for (const auto& entry : fs::directory_iterator(path_))
            if (entry.path().string().find("out") != std::string::npos) return true;
        return false;
    }

private:
    comm::Communicator world_;
    std::optional<TemporaryFolder> own_;
    std::string path_;
};

MadeLayer houses() {
    return {"lcsf", "Art", OFTString, 2056, {{"Gebaeude", rectangle(0, 0, 50, 50)}}};
}

/// The work is refused with these words and leaves no output.
void refuses(const SharedFolder& folder, Settings settings, bool usage, const std::string& words) {
    if (settings.output.empty() || settings.output == "unused.h5")
        settings.output = folder / "out.h5";
    const auto refusal = refused(settings);
    CHECK_THAT(refusal.message, Catch::Contains(words));
    CHECK(refusal.usage == usage);
    CHECK_FALSE(folder.holds_output());
}

}  // namespace

TEST_CASE("layers that are missing: those that exist are named") {
    const SharedFolder folder;
    auto other = houses();
    other.field = "kind";
    other.name = "houses";
    auto ways = other;
    ways.name = "ways";
    auto settings = keep_all({folder.map("a.gpkg", {other, ways})});
    refuses(folder, settings, true, "its layers: houses, ways. Hint: --buildings LAYER");
    settings.buildings = "hauses";
    settings.roads = "ways";
    refuses(folder, settings, true, "--buildings 'hauses' names no layer; there are: houses, ways");
    settings.buildings = "houses:floors > 3";
    refuses(folder, settings, true, "layer houses does not understand 'floors > 3'");
    settings.roads = "";
    settings.min_road = 0.02;
    refuses(folder, settings, true, "--roads go together");
}

TEST_CASE("maps without anything to draw") {
    const SharedFolder folder;
    auto empty = houses();
    empty.features.clear();
    refuses(folder, keep_all({folder.map("a.gpkg", {empty})}), false, "no buildings and no roads");
    auto settings = keep_all({folder.map("b.gpkg", {houses()})});
    settings.min_building = 0.9;
    refuses(folder, settings, false, "the most found are 4.0 % buildings and 0.0 % roads");
}

TEST_CASE("inputs that cannot be read") {
    const SharedFolder folder;
    refuses(folder, keep_all({folder / "nowhere.gpkg"}), true, "there is no map");
    refuses(folder, keep_all({folder.file("text.gpkg", "this is no map\n")}), false, "as a map: ");
    refuses(folder, keep_all({folder.file("half.pbf", std::string("\0\0\0\x0e\n\tOSMHeader", 15))}),
            false, "as a map: ");
    refuses(folder, keep_all({folder.file("notes.zip", "PK")}), false, "holds no map");
    refuses(folder, keep_all({}), true, "no INPUT is given");
}

TEST_CASE("a map cut short is an error, not a smaller map") {
    const SharedFolder folder;
    auto many = houses();
    for (int i = 0; i < 2000; ++i) many.features.push_back({"Gebaeude", rectangle(i, i, 9, 9)});
    const auto whole = folder.map("whole.gpkg", {many});
    if (comm::Communicator::world().is_root()) fs::resize_file(whole, fs::file_size(whole) * 2 / 3);
    comm::Communicator::world().barrier();
    const auto refusal = refused([&] {
        auto settings = keep_all({whole});
        settings.output = folder / "out.h5";
        return settings;
    }());
    CHECK_THAT(refusal.message, Catch::Contains("cannot read"));
    CHECK_FALSE(folder.holds_output());
}

TEST_CASE("coordinates of unknown or unfit systems") {
    const SharedFolder folder;
    auto lost = houses();
    lost.epsg = 0;
    const auto map = folder.map("lost.gpkg", {lost});
    refuses(folder, keep_all({map}), false,
            "layer lcsf of " + map + " has no coordinate reference");
    auto settings = keep_all({folder.map("a.gpkg", {houses()})});
    settings.crs = "EPSG:4326";
    refuses(folder, settings, true, "--crs EPSG:4326 is in degrees");
    settings.crs = "EPSG:3857";
    refuses(folder, settings, true, "Mercator");
    settings.crs = "EPSG:4087";
    refuses(folder, settings, true, "a kilometre of EPSG:4087");
    lost.epsg = 4326;  // in metres all the same
    refuses(folder, keep_all({folder.map("metres.gpkg", {lost})}), false,
            "which are not on Earth in EPSG:4326 (WGS 84). Hint: coordinates such as 2600000, "
            "1200000 are metres, and ogr2ogr -a_srs EPSG:2056 mended.gpkg ");
    settings.crs = "here";
    refuses(folder, settings, true, "--crs 'here' is no coordinate reference system");
}

TEST_CASE("numbered land cover of an unknown model") {
    const SharedFolder folder;
    auto numbered = houses();
    numbered.features[0].value = "18";
    auto settings = keep_all({folder.map("a.gpkg", {numbered})});
    refuses(folder, settings, true,
            "land cover 18 (field Art) means one thing in the federal model");
    settings.art_model = "DM01AVSO24LV95";
    refuses(folder, settings, true, "--art-model DM01AVSO24LV95 is not known");
}

TEST_CASE("outputs that cannot be written are refused before the work") {
    const SharedFolder folder;
    auto settings = keep_all({folder / "never-looked-at.gpkg"});
    settings.output = folder / "no/such/folder/tiles.h5";
    refuses(folder, settings, true, "there is no folder");
    settings.output = folder / ".";
    refuses(folder, settings, true, "is a folder, no regular file");
    settings.output = folder / "out.h5";
    settings.preview = folder / "no/such/sheet.png";
    refuses(folder, settings, true, "there is no folder");
}

TEST_CASE("values that make no sense") {
    const SharedFolder folder;
    const auto with = [&](auto change) {
        auto settings = keep_all({"a.gpkg"});
        change(settings);
        return settings;
    };
    refuses(folder, with([](auto& s) { s.tile_metres = 0; }), true, "--tile-metres 0");
    refuses(folder, with([](auto& s) { s.tile_metres = 1e-9; }), true, "--tile-metres 1e-09");
    refuses(folder, with([](auto& s) { s.stride_metres = 1; }), true, "--stride-metres 1");
    refuses(folder, with([](auto& s) { s.pixels = 4; }), true, "--pixels 4");
    refuses(folder, with([](auto& s) { s.min_road = 2; }), true, "--min-road 2");
    refuses(folder, with([](auto& s) { s.variance_quantile = 1; }), true, "--variance-quantile 1");
    refuses(folder, with([](auto& s) { s.test_share = -0.1; }), true, "--test-share -0.1");
    refuses(folder, with([](auto& s) { s.road_width = 0; }), true, "--road-width 0");
    refuses(folder, with([](auto& s) {
                s.sample = {Seed{1}, survey::Style::mixed};
            }),
            true, "--sample makes its own map");
    refuses(folder, with([](auto& s) { s.outline = "bounds"; }), true,
            "--edge keep takes no notice of --outline bounds. Hint: leave out one of them");
    refuses(folder, with([](auto& s) {
                s.art_model = "DM01AVCH";
                s.buildings = s.roads = "lcsf";
            }),
            true, "--art-model is about numbers in the field Art, which");
}

TEST_CASE("the command line") {
    const auto read = [](std::vector<const char*> words) {
        words.insert(words.begin(), "civitas-preprocess");
        return read_settings(static_cast<int>(words.size()), words.data());
    };
    CHECK_THROWS_WITH(read({"a.gpkg", "--output", "t.h5", "--pixel", "64"}),
                      Catch::Contains("unknown option --pixel") && Catch::Contains("--pixels"));
    CHECK_THROWS_WITH(read({"a.gpkg"}), Catch::Contains("--output is missing"));
    CHECK_THROWS_WITH(read({"--output", "t.h5"}), Catch::Contains("no INPUT is given"));
    CHECK_THROWS_WITH(read({"--sample", "one", "--output", "t.h5"}),
                      Catch::Contains("--sample one is no whole number"));
    CHECK(read({"--sample", "7", "--output", "t.h5"}).sample->seed == Seed{7});
    CHECK(read({"--sample", "7", "--sample-style", "old-town", "--output", "t.h5"}).sample->style ==
          survey::Style::old_town);
    CHECK_THROWS_WITH(read({"--sample", "7", "--sample-style", "suburbs", "--output", "t.h5"}),
                      Catch::Contains("unknown style of a town 'suburbs'") &&
                          Catch::Contains("mixed, perimeter, suburb, industry or old-town"));
    CHECK_THROWS_WITH(read({"a.gpkg", "--sample-style", "suburb", "--output", "t.h5"}),
                      Catch::Contains("no --sample asks for one") &&
                          Catch::Contains("--sample 1 --sample-style suburb"));
    CHECK_THROWS_WITH(read({"--cifar", "a.bin", "--sample-style", "suburb", "--output", "t.h5"}),
                      Catch::Contains("Hint"));
    CHECK(read({"a", "b", "--output", "t.h5", "--tile-metres", "500"}).stride_metres == 500);
}
