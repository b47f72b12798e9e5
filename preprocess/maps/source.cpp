#include "source.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/shell.hpp"
#include "civitas/io/file_format.hpp"
#include "civitas/io/files.hpp"
#include "connection.hpp"

#include <cpl_string.h>
#include <cpl_vsi.h>
#include <glob.h>
#include <algorithm>
#include <array>
#include <map>

namespace civitas::maps {
namespace {

namespace fs = std::filesystem;

struct Format {
    std::string_view extension;
    const char* driver;
};

constexpr std::array formats{
    Format{".gpkg", "GPKG"},       Format{".shp", "ESRI Shapefile"},
    Format{".geojson", "GeoJSON"}, Format{".json", "GeoJSON"},
    Format{".gml", "GML"},         Format{".sqlite", "SQLite"},
    Format{".db", "SQLite"},       Format{".pbf", "OSM"},
    Format{".osm", "OSM"},         Format{".fgb", "FlatGeobuf"},
    Format{".itf", "Interlis 1"},  Format{".xtf", "Interlis 2"},
    Format{".parquet", "Parquet"}, Format{".geoparquet", "Parquet"},
};

constexpr std::string_view zip_prefix = "/vsizip/";

/// Hidden files, which macOS puts into zips, and what Windows puts into folders.
bool is_foreign(const fs::path& place) {
    return std::any_of(place.begin(), place.end(), [](const fs::path& part) {
        return part.string().starts_with('.') || part == "__MACOSX" || part == "Thumbs.db";
    });
}

std::vector<std::string> members_of_zip(const fs::path& zip) {
    const std::string root = std::string(zip_prefix) + fs::absolute(zip).string();
    const CPLStringList listed(VSIReadDirRecursive(root.c_str()));
    std::vector<std::string> members;
    for (int i = 0; i < listed.Count(); ++i)
        if (driver_of(listed[i]) != nullptr && !is_foreign(listed[i]))
            members.emplace_back(listed[i]);
    std::sort(members.begin(), members.end());
    return members;
}

std::vector<fs::path> maps_in_folder(const fs::path& folder) {
    std::vector<fs::path> maps;
    for (const auto& entry : io::entries_of(folder))
        if ((driver_of(entry.path()) != nullptr || io::extension_of(entry.path()) == ".zip") &&
            !is_foreign(entry.path().filename()))
            maps.push_back(entry.path());
    std::sort(maps.begin(), maps.end());
    return maps;
}

Candidate plain(const fs::path& file, std::size_t number) {
    return {file.string(), file.string(), file.stem().string(), number, file.string()};
}

std::vector<Candidate> in_zip(const fs::path& zip, std::size_t number) {
    std::vector<Candidate> found;
    const std::string root = std::string(zip_prefix) + fs::absolute(zip).string();
    for (const auto& member : members_of_zip(zip))
        found.push_back({text(root, '/', member), text(zip.string(), '/', member),
                         fs::path(member).stem().string(), number, zip.string()});
    return found;
}

std::vector<Candidate> in_folder(const fs::path& folder, std::size_t number) {
    std::vector<Candidate> found;
    for (const auto& map : maps_in_folder(folder))
        for (auto& candidate : find_datasets(map, number)) found.push_back(std::move(candidate));
    return found;
}

/// A name with wildcards that is no file's own.
bool is_pattern(const fs::path& input) {
    return input.string().find_first_of("*?[") != std::string::npos && !fs::exists(input);
}

/// In alphabetical order, as a shell has them.
std::vector<fs::path> matches_of(const fs::path& pattern) {
    glob_t found{};
    const bool any = glob(pattern.c_str(), 0, nullptr, &found) == 0;
    std::vector<fs::path> files;
    for (std::size_t i = 0; any && i < found.gl_pathc; ++i) files.emplace_back(found.gl_pathv[i]);
    globfree(&found);
    return files;
}

std::vector<Candidate> in_matches(const fs::path& pattern, std::size_t number) {
    std::vector<Candidate> found;
    for (const auto& match : matches_of(pattern))
        for (auto& candidate : find_datasets(match, number)) found.push_back(std::move(candidate));
    if (found.empty())
        throw UsageError(text("no file matches ", pattern), Hint{"check the spelling of the path"});
    return found;
}

Candidate connected(const std::string& input, std::size_t number) {
    return {input, without_secrets(input), driver_of_connection(input), number, input};
}

/// Nothing was found: say what is there that cannot be read.
[[noreturn]] void refuse_nothing(const fs::path& input) {
    throw Error(text(input, " holds no map that can be read"),
                Hint{"maps are .gpkg, .shp, .geojson, .gml, .sqlite, .fgb, .parquet, .itf, .xtf, "
                     ".osm.pbf, or "
                     "a zip or folder of them"});
}

/// Files beside a map that decide what is read of it, if they are there. While anybody reads a
/// SQLite file it may have an empty log beside it, which says nothing.
std::vector<fs::path> companions_of(const fs::path& map) {
    const auto extension = io::extension_of(map);
    std::vector<std::string> extensions;
    if (extension == ".shp") extensions = {".dbf", ".shx", ".prj", ".cpg"};
    if (extension == ".gml") extensions = {".xsd", ".gfs"};
    std::vector<fs::path> found;
    for (const auto& lower : extensions)
        for (const auto& other : {lower, std::string(CPLString(lower).toupper())})
            if (auto file = fs::path(map).replace_extension(other); fs::exists(file))
                found.push_back(std::move(file));
    fs::path log = map.string() + "-wal";
    const bool logs = extension == ".gpkg" || extension == ".sqlite" || extension == ".db";
    if (logs && fs::exists(log) && !fs::is_empty(log)) found.push_back(std::move(log));
    return found;
}

/// The last parts of a path, all of it if it has no more.
fs::path last_parts(const fs::path& file, std::ptrdiff_t parts) {
    fs::path last;
    for (auto at = std::next(file.begin(), std::max<std::ptrdiff_t>(
                                               0, std::distance(file.begin(), file.end()) - parts));
         at != file.end(); ++at)
        last /= *at;
    return last;
}

}  // namespace

const char* driver_of(const fs::path& file) {
    if (const char* driver = driver_of_connection(file.string())) return driver;
    const std::string extension = io::extension_of(file);
    const auto format = std::find_if(formats.begin(), formats.end(),
                                     [&](const Format& f) { return f.extension == extension; });
    return format == formats.end() ? nullptr : format->driver;
}

std::string name_for_gdal(const Candidate& candidate) {
    return shell_quoted(is_zipped(candidate.name) ? candidate.name : candidate.label);
}

bool is_zipped(const std::string& name) { return name.starts_with(zip_prefix); }

std::vector<Candidate> find_datasets(const fs::path& input, std::size_t number) {
    if (driver_of_connection(input.string()) != nullptr) return {connected(input.string(), number)};
    if (is_pattern(input)) return in_matches(input, number);
    if (!fs::exists(input))
        throw UsageError(text("there is no map ", input), Hint{"check the spelling of the path"});
    std::vector<Candidate> found;
    if (fs::is_directory(input)) {
        found = in_folder(input, number);
    } else if (io::extension_of(input) == ".zip") {
        found = in_zip(input, number);
    } else {
        found = {plain(input, number)};
    }
    if (found.empty()) refuse_nothing(input);
    return found;
}

std::vector<fs::path> files_of(const fs::path& input) {
    if (driver_of_connection(input.string()) != nullptr) return {};
    std::vector<fs::path> files;
    if (fs::is_directory(input) || is_pattern(input)) {
        for (const auto& map : fs::is_directory(input) ? maps_in_folder(input) : matches_of(input))
            for (auto& file : files_of(map)) files.push_back(std::move(file));
        return files;
    }
    files.push_back(input);
    for (auto& file : companions_of(input)) files.push_back(std::move(file));
    return files;
}

std::vector<std::string> short_names(const std::vector<fs::path>& files) {
    std::vector<std::string> names(files.size());
    bool longer = true;
    for (std::ptrdiff_t parts = 1; longer; ++parts) {
        longer = false;
        std::map<fs::path, int> count;
        for (const auto& file : files) ++count[last_parts(file, parts)];
        for (std::size_t i = 0; i < files.size(); ++i) {
            const auto name = last_parts(files[i], parts);
            if (!names[i].empty()) continue;
            const bool known = count.at(name) == 1 || name == files[i];
            if (known) names[i] = name.string();
            longer = longer || !known;
        }
    }
    return names;
}

}  // namespace civitas::maps
