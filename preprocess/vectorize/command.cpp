#include "preprocess/vectorize/command.hpp"

#include "civitas/base/log.hpp"
#include "civitas/cli/program.hpp"
#include "civitas/data/tile_store.hpp"
#include "civitas/io/files.hpp"
#include "civitas/io/outputs.hpp"
#include "preprocess/vectorize/store.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <iostream>
#include <set>

namespace civitas::vectorize {
namespace {

constexpr std::size_t kRowsShown = 20;
constexpr double kLargestArea = 1e6;  // square metres

Settings parsed(int argc, const char* const* argv, const cli::ReadFile& read) {
    Settings settings;
    std::vector<std::string> words;
    cli::Options options(
        "civitas-vectorize",
        "civitas-vectorize PLANS.h5 --output PLANS.gpkg|PLANS.dxf|PLANS.geojson\n"
        "Turns the pixels of a tile store into a map: buildings with straight walls and right\n"
        "angles, roads, and the ground between them, without gaps or overlaps. A GeoPackage has a\n"
        "layer for each and one of figures per tile; a DXF uses the layers of the Swiss survey's\n"
        "CAD exchange (01211, 01221, 01231) and a GeoJSON the property `class`. The figures of\n"
        "these two are written beside them as .csv.");
    options.positional("PLANS.h5", words, "the tile store")
        .section("Map")
        .add("output", settings.output, "the map to write; its ending chooses the format")
        .required("output")
        .add("overwrite", settings.overwrite, "replace outputs that exist")
        .add("tiles", settings.tiles,
             "tiles of the store: all, or numbers and ranges, as in 0-9,12")
        .section("Tracing")
        .add("minimum-area", settings.minimum_area,
             "smaller pieces go to their neighbours, in square metres")
        .add("tolerance", settings.tolerance,
             "by how many pixels a straight edge may leave the pixels it stands for");
    options.parse(argc, argv, read);
    if (words.size() != 1) {
        throw UsageError(text("one tile store is needed, ", words.size(), " are named"),
                         Hint{"civitas-vectorize plans.h5 --output plans.gpkg"});
    }
    settings.store = words.front();
    settings.config = options.file();
    if (!(settings.minimum_area >= 0 && settings.minimum_area <= kLargestArea)) {
        throw UsageError(text("--minimum-area ", settings.minimum_area, " is not within 0 to ",
                              kLargestArea, " square metres"));
    }
    if (!(settings.tolerance > 0 && settings.tolerance <= 8)) {
        throw UsageError(text("--tolerance ", settings.tolerance, " is not within 0 to 8 pixels"));
    }
    (void)format_of(settings.output);
    return settings;
}

/// The pixels of one tile as polygons at their place.
Plan traced(const data::TileStore& store, const TilePlace& place, const Settings& settings) {
    const auto& header = store.header();
    const auto side = static_cast<int>(header.pixels);
    std::vector<std::uint8_t> pixels(static_cast<std::size_t>(header.pixels * header.pixels));
    store.read(TileIndex{place.tile}, pixels);
    try {
        return vectorized(make_raster(side, pixels), {header.tile_metres,
                                                      {place.west, place.south},
                                                      settings.minimum_area,
                                                      settings.tolerance,
                                                      Detail::regular});
    } catch (const Error& error) {
        throw Error(text("tile ", place.tile, " of ", settings.store, ": ", error.what()));
    }
}

/// Traces tiles one after the other into a map.
class Tracer {
public:
    Tracer(const data::TileStore& store, const Settings& settings, MapFile& map, Joining joining)
        : store_(store), settings_(settings), map_(map), joining_(std::move(joining)) {}

    void trace(const TilePlace& place) {
        const auto plan = traced(store_, place, settings_);
        auto figures = figures_of(plan, store_.header().tile_metres);
        figures.tile = place.tile;
        figures.west = place.west;
        figures.south = place.south;
        map_.add(kRoad, plan.roads, place.tile);
        map_.add(kOther, plan.other, place.tile);
        for (const auto& whole : joining_.add(figures, plan.buildings)) {
            map_.add(kBuilding, whole.buildings, whole.figures.tile);
            map_.add_tile(whole.figures);
            table_.push_back(whole.figures);
        }
    }

    /// Of all tiles, by their numbers.
    [[nodiscard]] std::vector<TileFigures> table() && {
        std::sort(table_.begin(), table_.end(),
                  [](const TileFigures& a, const TileFigures& b) { return a.tile < b.tile; });
        return std::move(table_);
    }

private:
    const data::TileStore& store_;
    const Settings& settings_;
    MapFile& map_;
    Joining joining_;
    std::vector<TileFigures> table_;
};

std::string place_in_words(const Provenance& from, Format format) {
    if (format == Format::geojson && !from.anchored) return "WGS 84, in the sea around 0,0";
    if (!from.anchored) return "metres at no place on Earth";
    const auto crs = reference_system(from);
    if (crs == nullptr) return "metres without a coordinate system";
    return format == Format::geojson ? "WGS 84 (RFC 7946)" : crs->GetName();
}

void say_what_was_done(Log& log, const Settings& settings, const Provenance& from,
                       const std::vector<TileFigures>& table, double seconds) {
    log.say(table_text(table, kRowsShown));
    log.say(text(settings.output, ": ", table.size(), " tiles in ",
                 place_in_words(from, format_of(settings.output)), ", ", sentence_about(from), "; ",
                 std::lround(seconds), " s"));
    if (!from.licence.empty()) log.say("licence: " + from.licence);
}

std::vector<TileFigures> traced_map(const data::TileStore& store, const Settings& settings,
                                    const Provenance& from, const std::filesystem::path& file,
                                    Log& log) {
    const auto& header = store.header();
    const auto places =
        places_of(store, selected_tiles(settings.tiles, store.size()), from.synthetic);
    if (overlapping(header)) {
        log.say("the tiles overlap: what lies in several of them is drawn and counted in each");
    }
    const auto map = make_map_file(file, format_of(settings.output), from);
    const double pixel = header.tile_metres / static_cast<double>(header.pixels);
    const auto neighbours = from.synthetic ? Neighbours() : Neighbours(places, header.tile_metres);
    Tracer tracer(store, settings, *map, Joining(neighbours, pixel / 2));
    Progress progress(log, "tracing", static_cast<std::int64_t>(places.size()));
    for (std::size_t i = 0; i < places.size(); ++i) {
        tracer.trace(places[i]);
        progress.advance(static_cast<std::int64_t>(i + 1));
    }
    map->close();
    return std::move(tracer).table();
}

/// The figures beside a map that has no room for them; empty: the map has.
std::filesystem::path table_file(const Settings& settings) {
    if (format_of(settings.output) == Format::geopackage) return {};
    return std::filesystem::path(settings.output).replace_extension(".csv");
}

void trace_all(const data::TileStore& store, const Settings& settings, Log& log) {
    const QuietGdal quiet;  // what matters of its words stands in our own messages
    const auto start = std::chrono::steady_clock::now();
    require_mappable(store, settings.store);
    const Provenance from = provenance_of(store);
    io::AtomicFile output(settings.output);
    const auto table = traced_map(store, settings, from, output.part(), log);
    if (format_of(settings.output) == Format::geopackage) {
        output.commit();
    } else {
        io::AtomicFile beside(table_file(settings));
        const std::string csv = table_csv(table, from.licence);
        io::RawFile::open_to_write(beside.part()).write_at(0, std::as_bytes(std::span(csv)));
        output.commit();
        beside.commit();
    }
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    say_what_was_done(log, settings, from, table, taken.count());
}

std::int64_t number(std::string_view word, const std::string& words) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size() || value < 0) {
        throw UsageError(text("--tiles ", words, ": '", word, "' is no tile number"),
                         Hint{"as in --tiles 0-9,12"});
    }
    return value;
}

}  // namespace

std::vector<std::int64_t> selected_tiles(const std::string& words, std::int64_t tiles_in_store) {
    const auto known = [&](std::int64_t tile) {
        if (tile < tiles_in_store) return;
        throw UsageError(text("--tiles ", words, ": the store has ", tiles_in_store,
                              " tiles, there is no tile ", tile),
                         Hint{"the first tile is 0"});
    };
    if (tiles_in_store == 0) throw Error("the store has no tiles");
    std::set<std::int64_t> chosen;
    std::istringstream list(words == "all" ? text("0-", tiles_in_store - 1) : words);
    for (std::string part; std::getline(list, part, ',');) {
        const auto dash = part.find('-');
        const auto first = number(std::string_view(part).substr(0, dash), words);
        const auto last = dash == std::string::npos
                              ? first
                              : number(std::string_view(part).substr(dash + 1), words);
        known(std::max(first, last));
        for (auto tile = first; tile <= last; ++tile) chosen.insert(tile);
    }
    if (chosen.empty()) throw UsageError(text("--tiles ", words, " names no tile"));
    return {chosen.begin(), chosen.end()};
}

comm::Exit vectorize_command(const comm::Communicator& world, int argc, const char* const* argv) {
    const auto settings =
        cli::agreed_options(world, [&](const auto& read) { return parsed(argc, argv, read); });
    Log log(world.rank());
    io::agree_on_outputs(world, {{{"PLANS.h5", settings.store}, {"--config", settings.config}},
                                 {{"--output", settings.output},
                                  {"the figures beside --output", table_file(settings)}},
                                 settings.overwrite});
    const auto store = data::TileStore::open(world, settings.store);
    if (world.size() > 1) {
        log.say(text("one of the ", world.size(), " ranks traces, the others wait"));
    }
    comm::agree(world, [&] {
        if (world.is_root()) trace_all(store, settings, log);
    });
    return comm::Exit::done;
}

}  // namespace civitas::vectorize
