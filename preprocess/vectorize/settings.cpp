#include "settings.hpp"

#include "civitas/base/error.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <set>
#include <sstream>
#include <utility>

namespace civitas::vectorize {
namespace {

constexpr double kLargestArea = 1e6;  // square metres
constexpr int kMostFloors = 200;

std::int64_t number(std::string_view word, const std::string& words) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size() || value < 0) {
        throw UsageError(text("--tiles ", words, ": '", word, "' is no tile number"),
                         Hint{"as in --tiles 0-9,12"});
    }
    return value;
}

/// Throws UsageError unless the layers asked for can be in a map of this format.
void require_sensible_layers(const Settings& settings) {
    const bool geopackage = format_of(settings.output) == Format::geopackage;
    for (const auto& [option, given] :
         {std::pair{"--append", settings.append},
          std::pair{"--layer-prefix", !settings.layer_prefix.empty()}}) {
        if (!given || geopackage) continue;
        throw UsageError(text(option, " is for the layers of a GeoPackage, --output ",
                              settings.output, " is none"),
                         Hint{"--output plans.gpkg"});
    }
    if (settings.append && settings.overwrite) {
        throw UsageError("--append keeps what --overwrite replaces", Hint{"give one of the two"});
    }
    const auto& prefix = settings.layer_prefix;
    const auto plain = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
    if (!std::all_of(prefix.begin(), prefix.end(), plain) || prefix.starts_with("gpkg")) {
        throw UsageError(text("--layer-prefix ", prefix, " cannot begin the name of a layer"),
                         Hint{"letters, digits and _, as in --layer-prefix seed7_"});
    }
}

void require_sensible_floors(const Settings& settings) {
    if (settings.floors < 1 || settings.floors > kMostFloors) {
        throw UsageError(
            text("--floors ", settings.floors, " is not within 1 to ", kMostFloors, " storeys"),
            Hint{"buildings of a CityJSON have that many, of 3 m each"});
    }
    if (settings.floors != MapTarget{}.floors && format_of(settings.output) != Format::cityjson) {
        throw UsageError(text("--floors is for the heights of a CityJSON, --output ",
                              settings.output, " has none"),
                         Hint{"--output plans.city.json"});
    }
}

}  // namespace

Settings settings_of(int argc, const char* const* argv, const cli::ReadFile& read) {
    Settings settings;
    std::vector<std::string> words;
    cli::Options options(
        "civitas-vectorize",
        "civitas-vectorize PLANS.h5 --output PLANS.gpkg|.dxf|.geojson|.city.json\n"
        "Turns the pixels of a tile store into a map: buildings with straight walls and right\n"
        "angles, roads, and the ground between them, without gaps or overlaps. A GeoPackage has a\n"
        "layer for each, the roads' centre lines, the blocks, and the figures per tile; a DXF "
        "uses\n"
        "the layers of the Swiss survey's CAD exchange (01211, 01221, 01231), a GeoJSON the\n"
        "property `class`; a CityJSON has blocks of --floors storeys. The figures of these three\n"
        "are written beside them as .csv.");
    options.positional("PLANS.h5", words, "the tile store")
        .section("Map")
        .add("output", settings.output, "the map to write; its ending chooses the format")
        .required("output")
        .add("overwrite", settings.overwrite, "replace outputs that exist")
        .add("append", settings.append,
             "add the layers to a GeoPackage, which is made when missing")
        .add("layer-prefix", settings.layer_prefix,
             "begins the names of a GeoPackage's layers, as in seed7_")
        .add("floors", settings.floors,
             "storeys of 3 m that buildings have in a CityJSON (.city.json)")
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
        throw UsageError(
            text("--tolerance ", settings.tolerance, " is not above 0 and at most 8 pixels"));
    }
    require_sensible_layers(settings);
    require_sensible_floors(settings);
    return settings;
}

std::filesystem::path table_file(const Settings& settings) {
    if (format_of(settings.output) == Format::geopackage) return {};
    return std::filesystem::path(settings.output).replace_extension(".csv");
}

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
        if (first > last) {
            throw UsageError(text("--tiles ", words, ": the range ", part, " names no tile"),
                             Hint{text("--tiles ", last, '-', first)});
        }
        for (auto tile = first; tile <= last; ++tile) chosen.insert(tile);
    }
    if (chosen.empty()) throw UsageError(text("--tiles ", words, " names no tile"));
    return {chosen.begin(), chosen.end()};
}

}  // namespace civitas::vectorize
