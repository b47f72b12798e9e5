#include "source.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/shell.hpp"
#include "words.hpp"

#include <algorithm>
#include <array>
#include <fstream>

namespace civitas::maps {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_open = 32;

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
};

std::string extension_of(const fs::path& file) { return lower(file.extension().string()); }

const char* driver_of(const fs::path& file) {
    const std::string extension = extension_of(file);
    const auto format = std::find_if(formats.begin(), formats.end(),
                                     [&](const Format& f) { return f.extension == extension; });
    return format == formats.end() ? nullptr : format->driver;
}

constexpr std::string_view zip_prefix = "/vsizip/";

bool is_zipped(const std::string& name) { return name.starts_with(zip_prefix); }

std::vector<std::string> members_of_zip(const fs::path& zip) {
    const std::string root = std::string(zip_prefix) + fs::absolute(zip).string();
    const CPLStringList listed(VSIReadDirRecursive(root.c_str()));
    std::vector<std::string> members;
    for (int i = 0; i < listed.Count(); ++i)
        if (driver_of(listed[i]) != nullptr) members.emplace_back(listed[i]);
    std::sort(members.begin(), members.end());
    return members;
}

std::vector<fs::path> maps_in_folder(const fs::path& folder) {
    std::vector<fs::path> maps;
    for (const auto& entry : fs::directory_iterator(folder))
        if (driver_of(entry.path()) != nullptr || extension_of(entry.path()) == ".zip")
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

/// The GML driver writes a `.gfs` file beside a plain GML. A window on the whole file looks like a
/// place where it cannot, and costs nothing; a schema that is there is passed on.
std::string without_side_effects(const std::string& name, CPLStringList& options) {
    if (is_zipped(name) || extension_of(name) != ".gml") return name;
    for (const auto& [extension, option] :
         {std::pair{".xsd", "XSD"}, std::pair{".gfs", "GFS_TEMPLATE"}}) {
        const auto schema = fs::path(name).replace_extension(extension);
        if (fs::exists(schema)) options.SetNameValue(option, schema.string().c_str());
    }
    return text("/vsisubfile/0_", fs::file_size(name), ",", name);
}

/// What a file that is no map looks like.
std::string look_of(const Candidate& candidate) {
    constexpr std::size_t most_shown = 24;
    if (is_zipped(candidate.name)) return "";
    std::ifstream file(candidate.file, std::ios::binary);
    std::string begin(most_shown, '\0');
    file.read(begin.data(), most_shown);
    begin.resize(static_cast<std::size_t>(file.gcount()));
    if (begin.empty()) return "it is empty (0 bytes); ";
    const bool printable = std::all_of(begin.begin(), begin.end(), [](char c) {
        return (c >= ' ' && c <= '~') || c == '\n' || c == '\r' || c == '\t';
    });
    const auto line = begin.substr(0, begin.find_first_of("\r\n"));
    return printable ? text("it is text that begins with '", line, "'; ") : "";
}

[[noreturn]] void refuse_half_open(const Candidate& candidate, const std::string& words) {
    if (contains_word(words, "crs not found"))
        throw Error(
            text(candidate.label, " names a coordinate system that is not known: ", words),
            Hint{text("ogr2ogr -a_srs EPSG:2056 mended.gpkg ", shell_quoted(candidate.label),
                      " gives it the one that you know it has")});
    throw Error(
        text("cannot read all of ", candidate.label, ": ", words),
        Hint{"the file is damaged or cut short: fetch it again; --skip-damaged goes on with "
             "what can be read"});
}

bool is_interlis(const fs::path& file) {
    const auto extension = extension_of(file);
    return extension == ".itf" || extension == ".xtf";
}

[[noreturn]] void refuse_interlis(const fs::path& file) {
    throw UsageError(
        text("INTERLIS files (", file.string(), ") are not read in this version"),
        Hint{text("ili2gpkg makes a map of it: java -jar ili2gpkg.jar --import "
                  "--doSchemaImport --strokeArcs --dbfile ",
                  shell_quoted(file.stem().string() + ".gpkg"), ' ', shell_quoted(file.string()),
                  "; or take the GeoPackage that the canton offers")});
}

/// Nothing was found: say what is there that cannot be read.
[[noreturn]] void refuse_nothing(const fs::path& input) {
    if (fs::is_directory(input))
        for (const auto& entry : fs::directory_iterator(input))
            if (is_interlis(entry.path())) refuse_interlis(entry.path());
    throw Error(text(input, " holds no map that can be read"),
                Hint{"maps are .gpkg, .shp, .geojson, .gml, .sqlite, .osm.pbf, or a zip or "
                     "folder of them"});
}

/// Files beside a map that decide what is read of it, if they are there. While anybody reads a
/// SQLite file it may have an empty log beside it, which says nothing.
std::vector<fs::path> companions_of(const fs::path& map) {
    const auto extension = extension_of(map);
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

}  // namespace

std::vector<Candidate> find_datasets(const fs::path& input, std::size_t number) {
    if (!fs::exists(input))
        throw Error(text("there is no map ", input), Hint{"check the spelling of the path"});
    if (is_interlis(input)) refuse_interlis(input);
    std::vector<Candidate> found;
    if (fs::is_directory(input)) {
        found = in_folder(input, number);
    } else if (extension_of(input) == ".zip") {
        found = in_zip(input, number);
    } else {
        found = {plain(input, number)};
    }
    if (found.empty()) refuse_nothing(input);
    return found;
}

Dataset open_dataset(Gdal& gdal, const Candidate& candidate, bool bear_damage) {
    const char* driver = driver_of(candidate.name);
    if (driver != nullptr && GDALGetDriverByName(driver) == nullptr)
        throw Error(
            text("this GDAL lacks the driver ", driver, ", which ", candidate.label, " needs"),
            Hint{"install a GDAL with it; `ogrinfo --formats` lists what it has"});
    CPLStringList options;
    const std::string name = without_side_effects(candidate.name, options);
    static_cast<void>(gdal.take_messages());
    CPLErrorReset();
    Dataset dataset(GDALDataset::Open(name.c_str(), GDAL_OF_VECTOR | GDAL_OF_READONLY, nullptr,
                                      options.List()));
    const bool failed = CPLGetLastErrorType() >= CE_Failure;
    if (!dataset)
        throw Error(text("cannot read ", candidate.label, " as a map: ", look_of(candidate),
                         gdal.last_words()),
                    Hint{text("fetch the file again if it should be a map; `ogrinfo ",
                              shell_quoted(candidate.label), "` shows what GDAL makes of it")});
    const auto words = gdal.last_words();
    // Told by PROJ, and then forgotten by GDAL, which takes degrees instead.
    const bool lost = contains_word(words, "crs not found");
    if ((failed || lost) && !bear_damage) refuse_half_open(candidate, words);
    return dataset;
}

GDALDataset& OpenMaps::get(const Candidate& candidate) {
    auto& dataset = open_[candidate.name];
    if (!dataset) {
        try {
            dataset = open_dataset(gdal_, candidate, bear_damage_);
        } catch (...) {
            open_.erase(candidate.name);
            throw;
        }
    }
    return *dataset;
}

void OpenMaps::drop_surplus() {
    if (open_.size() > most_open) open_.clear();
}

std::vector<fs::path> files_of(const fs::path& input) {
    if (fs::is_directory(input)) {
        std::vector<fs::path> files;
        for (const auto& map : maps_in_folder(input))
            for (auto& file : files_of(map)) files.push_back(std::move(file));
        return files;
    }
    std::vector<fs::path> files{input};
    for (auto& file : companions_of(input)) files.push_back(std::move(file));
    return files;
}

}  // namespace civitas::maps
