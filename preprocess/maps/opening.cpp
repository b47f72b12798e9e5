#include "opening.hpp"

#include "civitas/base/error.hpp"
#include "civitas/io/file_format.hpp"
#include "connection.hpp"
#include "preprocess/interlis/land_cover_map.hpp"
#include "words.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

namespace civitas::maps {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_open = 32;  // every open Shapefile costs three file descriptors

/// The GML driver writes a `.gfs` file beside a plain GML. A window on the whole file looks like a
/// place where it cannot, and costs nothing; a schema that is there is passed on.
std::string without_side_effects(const std::string& name, CPLStringList& options) {
    const bool is_file = !is_zipped(name) && driver_of_connection(name) == nullptr;
    if (!is_file || io::extension_of(name) != ".gml") return name;
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
    if (is_zipped(candidate.name) || driver_of_connection(candidate.name) != nullptr) return "";
    std::ifstream file(candidate.file, std::ios::binary);
    if (!file) return text(std::strerror(errno), "; ");
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
        throw Error(text(candidate.label, " names a coordinate system that is not known: ", words),
                    Hint{text("ogr2ogr -a_srs EPSG:2056 mended.gpkg ", name_for_gdal(candidate),
                              " gives it the one that you know it has")});
    throw Error(
        text("cannot read all of ", candidate.label, ": ", words),
        Hint{"the file is damaged or cut short: fetch it again; --skip-damaged goes on with "
             "what can be read"});
}

interlis::FileName transfer(const Candidate& candidate) {
    return {candidate.name, candidate.label};
}

interlis::Format format_of(const Candidate& candidate) {
    return driver_of_connection(candidate.name) == nullptr
               ? interlis::format_of(transfer(candidate))
               : interlis::Format::none;
}

/// The size of a transfer, which is read as a whole when it is opened; 0 of other maps.
std::uint64_t bytes_held_of(const Candidate& candidate) {
    const char* driver = driver_of(candidate.name);
    VSIStatBufL file{};
    if (driver == nullptr || !std::string_view(driver).starts_with("Interlis") ||
        VSIStatL(candidate.name.c_str(), &file) != 0)
        return 0;
    return static_cast<std::uint64_t>(file.st_size);
}

}  // namespace

std::string art_model_of(const Candidate& candidate, bool bear_damage) {
    return interlis::model_of(transfer(candidate), format_of(candidate), bear_damage);
}

OpenMap open_dataset(Gdal& gdal, const Candidate& candidate, interlis::Reading reading) {
    if (const auto format = format_of(candidate); format != interlis::Format::none) {
        auto map = interlis::read_land_cover(transfer(candidate), format, reading);
        return {std::move(map.dataset), "", std::move(map.left_out), std::move(map.warnings)};
    }
    const bool connects = driver_of_connection(candidate.name) != nullptr;
    if (connects) gdal.connects_to(candidate.name);
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
    if (!dataset && connects)
        throw Error(text("cannot connect to ", candidate.label, ": ", gdal.last_words()),
                    Hint{text("`ogrinfo ", name_for_gdal(candidate), "`",
                              candidate.label == candidate.name ? "" : ", with *** spelled out,",
                              " shows what GDAL makes of it")});
    if (!dataset)
        throw Error(
            text("cannot read ", candidate.label, " as a map: ", look_of(candidate),
                 gdal.last_words()),
            Hint{text("fetch the file again if it should be a map, else leave it out; `ogrinfo ",
                      name_for_gdal(candidate), "` shows what GDAL makes of it")});
    const auto words = gdal.last_words();
    // Told by PROJ, and then forgotten by GDAL, which takes degrees instead.
    const bool lost = contains_word(words, "crs not found");
    if ((failed || lost) && !reading.bear_damage) refuse_half_open(candidate, words);
    return {std::move(dataset)};
}

const OpenMap& OpenMaps::open(const Candidate& candidate) {
    const auto found = std::ranges::find(open_, candidate.name, &OpenMap::name);
    if (found != open_.end()) return *found;
    const auto bytes = bytes_held_of(candidate);
    make_room(bytes);
    auto map = open_dataset(gdal_, candidate, reading_);
    map.name = candidate.name;
    map.bytes_held = bytes;
    return open_.emplace_back(std::move(map));
}

void OpenMaps::drop(const Candidate& candidate) {
    std::erase_if(open_, [&](const OpenMap& map) { return map.name == candidate.name; });
}

/// Maps are read in the order in which they were looked at: the first ones are worth keeping.
void OpenMaps::make_room(std::uint64_t bytes) {
    for (const auto& map : open_) bytes += map.bytes_held;
    while (!open_.empty() && (open_.size() >= most_open || bytes > most_bytes_)) {
        bytes -= open_.back().bytes_held;
        open_.pop_back();
    }
}

}  // namespace civitas::maps
