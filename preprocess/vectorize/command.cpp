#include "command.hpp"

#include "block_joining.hpp"
#include "civitas/base/log.hpp"
#include "civitas/cli/program.hpp"
#include "civitas/data/tile_store.hpp"
#include "civitas/io/files.hpp"
#include "civitas/io/outputs.hpp"
#include "civitas/io/sqlite_file.hpp"
#include "existing.hpp"
#include "mosaic.hpp"
#include "store.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

namespace civitas::vectorize {
namespace {

constexpr std::size_t kRowsShown = 20;

/// What `make` makes of a tile, which its errors are told with.
template <class Make>
auto of_tile(std::int64_t tile, const Settings& settings, Make&& make) {
    try {
        return make();
    } catch (const Error& error) {
        throw Error(text("tile ", tile, " of ", settings.store, ": ", error.what()));
    }
}

/// The pixels of one tile as polygons at their place.
Plan traced(const data::StoreHeader& header, Mosaic& mosaic, const data::TilePlace& place,
            const Settings& settings) {
    const auto tile = mosaic.clean(place.tile);
    return of_tile(place.tile, settings, [&] {
        return vectorized(tile, {header.tile_metres,
                                 {place.west, place.south},
                                 settings.minimum_area,
                                 settings.tolerance,
                                 Detail::regular});
    });
}

/// Traces tiles one after the other into a map.
class Tracer {
public:
    Tracer(const data::TileStore& store, const Settings& settings, MapFile& map,
           const Neighbours& neighbours)
        : header_(store.header()),
          settings_(settings),
          map_(map),
          mosaic_(store, neighbours, settings.minimum_area),
          joining_(neighbours, half_a_pixel(header_)),
          block_joining_(neighbours, half_a_pixel(header_)) {}

    void trace(const data::TilePlace& place) {
        const auto plan = traced(header_, mosaic_, place, settings_);
        auto figures = figures_of(plan, header_.tile_metres);
        figures.tile = place.tile;
        figures.west = place.west;
        figures.south = place.south;
        map_.add(kRoad, plan.roads, place.tile);
        map_.add(kOther, plan.other, place.tile);
        map_.add_axes(plan.axes, place.tile);
        auto blocks =
            of_tile(place.tile, settings_, [&] { return blocks_of(plan, ground_of(figures)); });
        map_.add_blocks(block_joining_.add(figures, std::move(blocks)), place.tile);
        for (const auto& whole : joining_.add(figures, plan.buildings)) {
            map_.add(kBuilding, whole.buildings, whole.figures.tile);
            block_joining_.add_buildings(whole.figures.tile, whole.buildings);
            map_.add_tile(whole.figures);
            table_.push_back(whole.figures);
        }
    }

    /// After the last tile: writes what lies in several. The figures of all tiles, by their
    /// numbers.
    [[nodiscard]] std::vector<TileFigures> finish() && {
        for (const auto& [tile, blocks] : block_joining_.joined()) map_.add_blocks(blocks, tile);
        std::sort(table_.begin(), table_.end(),
                  [](const TileFigures& a, const TileFigures& b) { return a.tile < b.tile; });
        return std::move(table_);
    }

private:
    static double half_a_pixel(const data::StoreHeader& header) {
        return header.tile_metres / static_cast<double>(header.pixels) / 2;
    }

    const data::StoreHeader& header_;
    const Settings& settings_;
    MapFile& map_;
    Mosaic mosaic_;
    Joining joining_;
    BlockJoining block_joining_;
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
    log.info(table_text(table, kRowsShown));
    log.info(text(settings.output, ": ", table.size(), " tiles in ",
                  place_in_words(from, format_of(settings.output)), ", ", sentence_about(from),
                  "; ", std::lround(seconds), " s"));
    if (!from.licence.empty()) log.info("licence: " + from.licence);
}

std::vector<TileFigures> traced_map(const data::TileStore& store, const Settings& settings,
                                    const Provenance& from, const MapTarget& target, Log& log) {
    const auto& header = store.header();
    const auto places =
        places_in_order(store, selected_tiles(settings.tiles, store.size()), from.synthetic);
    if (overlapping(header)) {
        log.info("the tiles overlap: what lies in several of them is drawn and counted in each");
    }
    const auto map = make_map_file(target, from);
    const auto neighbours =
        is_one_map(header, from) ? Neighbours(places, header.tile_metres) : Neighbours();
    Tracer tracer(store, settings, *map, neighbours);
    Progress progress(log, "tracing", static_cast<std::int64_t>(places.size()));
    for (std::size_t i = 0; i < places.size(); ++i) {
        tracer.trace(places[i]);
        progress.advance(static_cast<std::int64_t>(i + 1));
    }
    auto table = std::move(tracer).finish();
    map->close();
    return table;
}

/// What --append adds to, where it is there.
std::optional<ExistingMap> map_to_extend(const Settings& settings) {
    const auto file = io::target_of(settings.output);
    if (!settings.append || !std::filesystem::exists(file)) return {};
    return ExistingMap(file, layers_of_geopackage(settings.layer_prefix));
}

void trace_all(const data::TileStore& store, const Settings& settings, Log& log) {
    const QuietGdal quiet;  // what matters of its words stands in our own messages
    const auto start = std::chrono::steady_clock::now();
    require_mappable(store, settings.store);
    const Provenance from = provenance_of(store);
    const bool geopackage = format_of(settings.output) == Format::geopackage;
    if (geopackage) io::require_no_changes_beside(settings.output);
    const auto existing = map_to_extend(settings);
    const io::Replace replace = io::replace_if(settings.overwrite);
    io::AtomicFile output(settings.output, existing ? io::Replace::yes : replace);
    if (existing) existing->copy_to(output.part());
    const auto table = traced_map(store, settings, from,
                                  {output.part(), format_of(settings.output), settings.layer_prefix,
                                   existing.has_value(), settings.floors},
                                  log);
    if (geopackage) {
        io::require_no_changes_beside(settings.output);
        if (existing) existing->require_unchanged();
        output.commit();
    } else {
        io::AtomicFile beside(table_file(settings), replace);
        const std::string csv = table_csv(table, from.licence);
        io::RawFile::open_to_write(beside.part()).write_at(0, std::as_bytes(std::span(csv)));
        output.commit();
        beside.commit();
    }
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    say_what_was_done(log, settings, from, table, taken.count());
}

io::CommandFiles files_of(const Settings& settings) {
    const bool is_geopackage = format_of(settings.output) == Format::geopackage;
    return {{{"PLANS.h5", settings.store}, {"--config", settings.config}},
            {{"--output", settings.output}, {"the figures beside --output", table_file(settings)}},
            settings.overwrite || settings.append,
            is_geopackage ? ", --append adds layers to it" : ""};
}

}  // namespace

Exit vectorize_command(const comm::Communicator& world, int argc, const char* const* argv) {
    const auto settings =
        cli::agreed_options(world, [&](const auto& read) { return settings_of(argc, argv, read); });
    Log log(world.rank());
    io::agree_on_outputs(world, [&] { return files_of(settings); });
    const auto store = data::TileStore::open(world, settings.store);
    if (world.size() > 1) {
        log.info(text("one of the ", world.size(), " ranks traces, the others wait"));
    }
    comm::agree(world, [&] {
        if (world.is_root()) trace_all(store, settings, log);
    });
    return Exit::done;
}

}  // namespace civitas::vectorize
