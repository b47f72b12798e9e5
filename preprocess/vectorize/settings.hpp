#pragma once
/// What civitas-vectorize is asked to do.
#include "civitas/cli/options.hpp"
#include "map_file.hpp"
#include "plan.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace civitas::vectorize {

struct Settings {
    std::string store, output;
    std::string tiles = "all";
    bool overwrite = false;           ///< outputs that exist may be replaced
    bool append = false;              ///< a GeoPackage that exists keeps its layers and gets more
    std::string layer_prefix;         ///< before the names of a GeoPackage's layers
    std::string config;               ///< the file that options were read from; empty: none
    int floors = MapTarget{}.floors;  ///< of a building in a CityJSON
    double minimum_area = Tracing{}.minimum_area;  ///< square metres
    double tolerance = Tracing{}.tolerance;        ///< pixels
};

/// Throws UsageError for words that make no sense, before any file is looked at.
[[nodiscard]] Settings settings_of(int argc, const char* const* argv, const cli::ReadFile& read);

/// The file of figures beside a map that has no room for them; empty: the map has.
[[nodiscard]] std::filesystem::path table_file(const Settings& settings);

/// "all", or numbers and ranges: "0-9,12". Throws UsageError, also for a tile the store lacks.
[[nodiscard]] std::vector<std::int64_t> selected_tiles(const std::string& words,
                                                       std::int64_t tiles_in_store);

}  // namespace civitas::vectorize
