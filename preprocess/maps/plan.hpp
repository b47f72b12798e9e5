#pragma once
/// What will be read, and how: made by one rank that looks into the inputs, followed by all.
#include "civitas/data/tile_store.hpp"
#include "opening.hpp"
#include "preprocess/rules/rules.hpp"
#include "settings.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace civitas::maps {

enum class Reading { land_cover, osm, buildings, roads, outline, rules };

/// One layer (or all of an OpenStreetMap extract) to be read.
struct Task {
    Candidate dataset;
    std::string layer;  ///< empty for an extract of OpenStreetMap
    Reading reading = Reading::land_cover;
    std::string field;  ///< land cover: the field that says it; roads: that of the class, or empty
    std::string where;
    std::string crs;         ///< WKT; empty until settled, where the layer has none
    std::size_t source = 0;  ///< row of the plan's sources: its file, then a Shapefile's companions
    std::size_t files = 1;   ///< so many rows
    std::string art_model = {};  ///< that the map names; empty: it does not
};

/// "layer houses of town.gpkg", for messages.
[[nodiscard]] std::string describe(const Task& task);

/// The rules of --layers, as text so that ranks can be told them.
struct RuleFile {
    std::string name;  ///< empty: there are none
    std::string text;
};

struct Plan {
    std::vector<Task> tasks;
    std::string target_crs;          ///< WKT of the system the tiles are cut in
    std::vector<std::string> notes;  ///< what the user should know
    std::vector<data::SourceFile> sources;
    std::vector<std::string> paths;  ///< of the sources
    RuleFile rules = {};
    std::chrono::sys_days day = {};  ///< when it was made, the same for all ranks
};

/// Throws UsageError or Error: nothing to read in an input, a selector that names no layer (with
/// those that exist), coordinates in an unknown system.
[[nodiscard]] Plan make_plan(const Settings& settings, OpenMaps& maps);

/// Throws Error that names a file of these tasks which is not here what it was where the plan was
/// made: another rank may see other files under the same names.
void require_same_files(const Plan& plan, const std::vector<std::size_t>& tasks);

/// The sources that tasks read, ascending: others are companions of theirs.
[[nodiscard]] std::vector<std::size_t> sources_read(const Plan& plan);

/// For sending it to other ranks.
[[nodiscard]] std::string to_text(const Plan& plan);
[[nodiscard]] Plan plan_from_text(const std::string& text);

}  // namespace civitas::maps
