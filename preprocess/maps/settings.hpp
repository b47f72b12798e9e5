#pragma once
/// What the user asked for.
#include "civitas/cli/options.hpp"
#include "preprocess/survey/style.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace civitas::maps {

struct Settings {
    std::vector<std::string> inputs;
    std::string output;
    std::string preview;     ///< PNG of some tiles; empty: none
    std::string report;      ///< page of what became of the inputs; empty: none
    bool overwrite = false;  ///< outputs that exist may be replaced
    std::string config;      ///< the file that options were read from; empty: none

    double tile_metres = 250;
    double stride_metres = 250;
    std::int64_t pixels = 256;
    std::string crs;  ///< empty: the map's own if metric, else the local UTM zone

    std::string layers;     ///< ready rules or a file of them; empty: none
    std::string buildings;  ///< LAYER[:WHERE]; empty: recognise the map
    std::string roads;
    double road_width = 6;              ///< metres, of lines that say nothing else
    std::string width_field = "width";  ///< that holds metres
    bool skip_damaged = false;          ///< go on with what can be read
    double arc_step = 0;  ///< degrees between points on INTERLIS' arcs; 0: within a millimetre
    std::string
        outline;  ///< LAYER[:WHERE] of areas in which the map knows all; empty: see edge.hpp
    bool keep_edge = false;  ///< take the ground beyond the edge of the data for open land
    std::string art_model;   ///< the model that numbers in `Art` belong to

    double min_building = 0.05;
    double min_road = 0.02;
    double variance_quantile = 0;
    double test_share = 0.1;

    [[nodiscard]] bool reads_images() const { return !images.empty() || !cifar.empty(); }

    std::string images;              ///< a folder of images, read in the place of maps; empty: none
    std::vector<std::string> cifar;  ///< files of CIFAR, read in the place of maps

    std::optional<survey::TownChoice> sample;  ///< the town of the built-in survey
    std::string licence;                       ///< added to what the maps are known to be under
    std::string command;
};

/// Throws UsageError (or cli::HelpRequested).
[[nodiscard]] Settings read_settings(int argc, const char* const* argv,
                                     const cli::ReadFile& read = cli::read_file);
/// Throws UsageError for values that make no sense.
void validate(const Settings& settings);

}  // namespace civitas::maps
