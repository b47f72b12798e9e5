#include "settings.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"
#include "civitas/cli/options.hpp"
#include "connection.hpp"
#include "crs.hpp"
#include "land_cover.hpp"
#include "preprocess/rules/rules.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace civitas::maps {
namespace {

constexpr std::int64_t fewest_pixels = 8, most_pixels = 4096;
constexpr std::int64_t image_pixels = 64, cifar_pixels = 32;

/// Values that Settings holds in another way.
struct Raw {
    std::string sample;
    std::string sample_style = "mixed";
    std::string road_width = "6";
    std::string edge = "drop";
};

void declare(cli::Options& options, Settings& s, Raw& raw) {
    options.positional("INPUT", s.inputs,
                       "map: .gpkg .shp .geojson .gml .sqlite .fgb .parquet .itf .xtf .osm.pbf, a "
                       "zip or folder of "
                       "them, 'maps/*.gpkg', or what GDAL connects to: PG:... WFS:...");
    options.section("Tiles")
        .add("output", s.output, "tile store to write (HDF5)")
        .add("tile-metres", s.tile_metres, "side of a tile on the ground")
        .add("pixels", s.pixels, "side of a tile in the store")
        .add("stride-metres", s.stride_metres,
             "distance between tiles (default: that of --tile-metres); less makes them overlap")
        .add("crs", s.crs,
             "system to cut tiles in, EPSG:2056 (default: the map's own, or the local UTM zone)")
        .add("preview", s.preview, "PNG sheet of up to 64 tiles")
        .add(
            "report", s.report,
            "HTML page of what became of the inputs: a map of the tiles, their shares of buildings "
            "and roads, what was left out")
        .add("overwrite", s.overwrite, "replace outputs that exist");
    options.section("Choice of tiles")
        .add("min-building", s.min_building, "least share of a tile that buildings cover")
        .add("min-road", s.min_road, "least share of a tile that roads cover")
        .add("variance-quantile", s.variance_quantile,
             "share of the tiles to leave out for their low variance")
        .add("edge", raw.edge,
             "tiles that the edge of the data cuts: drop, or keep with open land beyond it. The "
             "edge is that of --outline, else of land cover without gaps, else the convex hull of "
             "each input's buildings and roads")
        .add("outline", s.outline, "LAYER[:WHERE] of areas within which the map is complete")
        .add("test-share", s.test_share, "share of the tiles kept for tests, in blocks of ground");
    options.section("Images in the place of maps")
        .add("images", s.images,
             "FOLDER with a folder of PNG or JPEG files for each class, or train and test (or val) "
             "with such folders; shrunk to --pixels (64)")
        .add("cifar", s.cifar,
             "binary files of CIFAR-10 or CIFAR-100, their lists of names beside them: INPUT goes "
             "on with further ones");
    options.section("What is a building, what a road")
        .add("layers", s.layers,
             text("rules of what the layers hold: FILE.ini, or ready ones: ",
                  rules::names_of_ready_rules()))
        .add("buildings", s.buildings, "LAYER[:WHERE] that holds buildings")
        .add("roads", s.roads, "LAYER[:WHERE] that holds roads, as areas or lines")
        .add("road-width", raw.road_width,
             "metres of road lines that say none, or the field that holds each one's (default "
             "field: width)")
        .add("art-model", s.art_model, "model of numbers in the field Art: DM01AVCH (federal)")
        .add(
            "arc-step", s.arc_step,
            "degrees of equal chords that arcs of INTERLIS become at most, as in a map made of the "
            "transfer; 0: chords that leave them by a millimetre at most")
        .add("skip-damaged", s.skip_damaged, "go on without features that cannot be read")
        .add("licence", s.licence, "licence text to be kept in the store")
        .add("sample", raw.sample,
             "seed: make the built-in survey of a fictitious town and read that")
        .add("sample-style", raw.sample_style,
             text("what is built in the town of --sample: ", survey::style_names(),
                  "; towns of different styles lie apart, so one store takes them all"));
}

std::uint64_t parse_seed(const std::string& words) {
    std::size_t end = 0;
    std::uint64_t seed = 0;
    try {
        seed = std::stoull(words, &end);
    } catch (const std::exception&) {
        end = 0;
    }
    if (end == 0 || end != words.size() || words.front() == '-')
        throw UsageError(text("--sample ", words, " is no whole number"), Hint{"--sample 1"});
    return seed;
}

void require(bool ok, const std::string& message, const std::string& hint) {
    if (!ok) throw UsageError(message, Hint{hint});
}

/// A number of metres, or the name of a field.
void take_road_width(const std::string& words, bool given, Settings& settings) {
    auto with_point = words;
    std::replace(with_point.begin(), with_point.end(), ',', '.');
    char* end = nullptr;
    const double metres = std::strtod(with_point.c_str(), &end);
    const bool number = !words.empty() && *end == '\0';
    require(!number || with_point == words, text("--road-width ", words, ": metres have a point"),
            text("--road-width ", with_point));
    // Maps that are recognised have no lines of roads but those whose classes say how wide.
    require(
        !number || !given || !settings.roads.empty() || !settings.layers.empty(),
        text("--road-width ", words, " is of use with --roads and --layers alone"),
        "leave it out; --layers osm takes it for roads of unknown class, and --road-width FIELD "
        "names the field of widths");
    if (number)
        settings.road_width = metres;
    else
        settings.width_field = words;
}

void take_edge(const std::string& words, Settings& settings) {
    if (words != "keep" && words != "drop")
        throw UsageError(text("--edge ", words, " is neither keep nor drop"), Hint{"--edge drop"});
    settings.keep_edge = words == "keep";
}

bool is_share(double x) { return x >= 0 && x < 1; }

/// Each of two options means something, and beside the other one of them nothing.
void validate_pairs(const Settings& s) {
    require(s.layers.empty() || (s.buildings.empty() && s.roads.empty()),
            "--layers says what is a building and a road, and so do --buildings and --roads",
            "leave out one of them");
    require(s.outline.empty() || !s.keep_edge,
            text("--edge keep takes no notice of --outline ", s.outline), "leave out one of them");
    require(s.art_model.empty() || (s.buildings.empty() && s.roads.empty()),
            "--art-model is about numbers in the field Art, which --buildings and --roads do not "
            "go by",
            "leave it out, or write the numbers as conditions: --buildings 'LAYER:Art = 0'");
}

void validate_numbers(const Settings& s) {
    require(s.tile_metres >= 1 && s.tile_metres <= 1e5,
            text("--tile-metres ", s.tile_metres, " is no size of a tile"), "--tile-metres 250");
    require(s.stride_metres > 0 && s.stride_metres >= s.tile_metres / 64,
            text("--stride-metres ", s.stride_metres, " is too small for tiles of ", s.tile_metres,
                 " m"),
            text("at least ", s.tile_metres / 64));
    require(s.pixels >= fewest_pixels && s.pixels <= most_pixels,
            text("--pixels ", s.pixels, " is outside ", fewest_pixels, "..", most_pixels),
            "--pixels 256");
    require(is_share(s.min_building) && is_share(s.min_road),
            text("--min-building ", s.min_building, " and --min-road ", s.min_road,
                 " must be shares of at least 0 and less than 1"),
            "0.05 is 5 %");
    require(
        is_share(s.variance_quantile),
        text("--variance-quantile ", s.variance_quantile, " must be at least 0 and less than 1"),
        "0.25 leaves out the flattest quarter");
    require(is_share(s.test_share),
            text("--test-share ", s.test_share, " must be at least 0 and less than 1"),
            "--test-share 0.1");
    require(s.road_width > 0 && s.road_width <= 100,
            text("--road-width ", s.road_width, " is no width of a road in metres"),
            "--road-width 6");
    require(s.arc_step == 0 || (s.arc_step >= 0.02 && s.arc_step <= 90),
            text("--arc-step ", s.arc_step, " is neither 0 nor 0.02 to 90 degrees"),
            "--arc-step 5");
}

}  // namespace

void validate(const Settings& s) {
    require(!s.output.empty(), "--output is missing", "--output tiles.h5");
    require(s.sample.has_value() || !s.inputs.empty() || s.reads_images(), "no INPUT is given",
            "civitas-preprocess city.gpkg --output tiles.h5, or --sample 1 for a built-in town, or "
            "--images FOLDER");
    require(s.images.empty() || (s.inputs.empty() && s.cifar.empty()),
            text("--images ", s.images, " is read alone, ",
                 s.cifar.empty() ? "no INPUT" : "no --cifar", " goes with it"),
            "one store for each, in two commands");
    require(!s.sample || s.inputs.empty(), "--sample makes its own map, no INPUT goes with it",
            "leave out one of them");
    validate_pairs(s);
    require(s.buildings.empty() == s.roads.empty() || (s.roads.empty() && s.min_road == 0) ||
                (s.buildings.empty() && s.min_building == 0),
            "--buildings and --roads go together, one of them is missing",
            "--buildings LAYER[:WHERE] --roads LAYER[:WHERE]; --min-road 0 goes without roads, "
            "--min-building 0 without buildings");
    require(s.art_model.empty() || is_federal_model(s.art_model),
            text("--art-model ", s.art_model, " is not known here; only the federal model is"),
            "--art-model DM01AVCH, or --buildings and --roads with conditions");
    validate_numbers(s);
    if (!s.crs.empty()) static_cast<void>(parse_metric_crs(s.crs));
}

namespace {

/// Throws for what has a meaning with maps alone.
void require_no_map_options(const cli::Options& options, const Settings& s) {
    const bool cifar = s.images.empty();
    const std::string reads = cifar ? "--cifar" : "--images";
    for (const char* name :
         {"tile-metres", "stride-metres", "crs", "min-building", "min-road", "variance-quantile",
          "edge", "outline", "layers", "buildings", "roads", "road-width", "art-model", "arc-step",
          "skip-damaged", "sample", "sample-style"})
        require(!options.given(name),
                text("--", name, " is about maps, and ", reads, " reads none"),
                text("leave out --", name, ", or ", reads));
    require(!cifar || !options.given("test-share"),
            "--test-share goes not with --cifar, whose files are for training or for tests",
            "leave it out");
    require(!cifar || s.pixels == cifar_pixels,
            text("--pixels ", s.pixels, " goes not with --cifar, whose images have ", cifar_pixels,
                 " pixels a side"),
            "leave it out; --net for smaller ones averages them");
}

void take_sample(const cli::Options& options, const Raw& raw, Settings& settings) {
    const survey::Style style = survey::parse_style(raw.sample_style);
    require(options.given("sample") || !options.given("sample-style"),
            text("--sample-style ", raw.sample_style,
                 " is about a built-in town, and no --sample asks for one"),
            text("--sample 1 --sample-style ", raw.sample_style));
    if (options.given("sample")) settings.sample = {Seed{parse_seed(raw.sample)}, style};
}

}  // namespace

Settings read_settings(int argc, const char* const* argv, const cli::ReadFile& read) {
    Settings settings;
    Raw raw;
    cli::Options options(
        "civitas-preprocess",
        "civitas-preprocess INPUT... --output tiles.h5 [options]\n"
        "civitas-preprocess --sample SEED [--sample-style STYLE] --output tiles.h5 [options]\n"
        "civitas-preprocess --images FOLDER --output images.h5 [options]\n"
        "civitas-preprocess --cifar FILE... --output images.h5 [options]\n"
        "Cuts vector maps into tiles of buildings, roads and other ground, or "
        "makes a store of images.");
    declare(options, settings, raw);
    options.parse(argc, argv, read);
    take_sample(options, raw, settings);
    take_road_width(raw.road_width, options.given("road-width"), settings);
    take_edge(raw.edge, settings);
    if (!options.given("stride-metres")) settings.stride_metres = settings.tile_metres;
    if (!settings.cifar.empty())  // "--cifar a.bin b.bin": words without a dash are INPUT
        settings.cifar.insert(settings.cifar.end(), settings.inputs.begin(), settings.inputs.end());
    if (!settings.cifar.empty()) settings.inputs.clear();
    if (settings.reads_images() && !options.given("pixels"))
        settings.pixels = settings.images.empty() ? cifar_pixels : image_pixels;
    if (settings.reads_images()) require_no_map_options(options, settings);
    settings.config = options.file();
    std::vector<std::string> words(argv, argv + argc);
    std::transform(words.begin(), words.end(), words.begin(), without_secrets);
    settings.command = join(words, " ");
    validate(settings);
    return settings;
}

}  // namespace civitas::maps
