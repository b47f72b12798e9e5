#include "store_header.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/printable.hpp"
#include "civitas/base/version.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string_view>

namespace civitas::data {
namespace {

constexpr std::string_view format = "civitas tiles";
constexpr std::int64_t format_version = 1;
constexpr std::string_view dropped = "dropped: ";
constexpr std::array<std::string_view, 8> own_names{"format",   "format_version", "program_version",
                                                    "crs_epsg", "tile_metres",    "pixels",
                                                    "complete", "content"};
const char* const class_list = "0 other\n1 road\n2 building\n";

bool is_own(std::string_view name) {
    return name.starts_with(dropped) ||
           std::find(own_names.begin(), own_names.end(), name) != own_names.end();
}

template <class Value>
void check_keys(const std::map<std::string, Value>& values) {
    for (const auto& [name, value] : values)
        if (name.empty() || is_own(name))
            throw Error(text("'", name, "' cannot be a key of a tile store's header"));
}

/// One line per file: hash, two spaces, name, as checksum programs print them.
std::string to_lines(const std::vector<SourceFile>& sources) {
    std::string lines;
    for (SourceFile s : sources) {
        std::replace(s.name.begin(), s.name.end(), '\n', ' ');
        lines += text(s.hash, "  ", s.name, '\n');
    }
    return lines;
}

std::vector<SourceFile> from_lines(const std::string& lines, const std::filesystem::path& file) {
    std::vector<SourceFile> sources;
    std::istringstream in(lines);
    for (std::string line; std::getline(in, line);) {
        const auto gap = line.find("  ");
        if (gap == std::string::npos)
            throw Error(
                text(file, ": /sources has a line without hash and name: '", printable(line), "'"),
                Hint{"the file is damaged: copy or make it again"});
        sources.push_back({line.substr(gap + 2), line.substr(0, gap)});
    }
    return sources;
}

/// What the tiles of a store are: classes where it does not say.
Content content_of(const hdf5::H5File& h5, const std::filesystem::path& file) {
    if (!h5.has_attribute("/", "content")) return Content::classes;
    const std::string found = h5.text_attribute("/", "content");
    for (const Content known : {Content::classes, Content::rgb})
        if (found == to_string(known)) return known;
    throw Error(text(file, ": the content '", printable(found), "' is unknown to this program"),
                Hint{"the attribute content is classes or rgb"});
}

std::vector<std::string> label_names_of(const hdf5::H5File& h5, const std::filesystem::path& file) {
    const bool named = h5.has("/label_names");
    if (named != h5.has("/labels"))
        throw Error(text(file, ": ", named ? "/label_names" : "/labels", " is there without ",
                         named ? "/labels" : "/label_names"),
                    Hint{"a store has a label of each tile and a name of each label, or neither"});
    return named ? h5.read_texts("/label_names") : std::vector<std::string>{};
}

/// Names are told apart when they are printed, and number no more than labels can.
void check_labels(const std::vector<std::string>& names) {
    constexpr std::size_t most = std::size_t{1} << 16;
    if (names.size() > most)
        throw Error(text(names.size(), " classes cannot be stored"), Hint{text("at most ", most)});
    std::set<std::string_view> seen;
    for (const std::string& name : names)
        if (name.empty() || !seen.insert(name).second)
            throw Error(text("two classes are called '", printable(name), "', or one has no name"),
                        Hint{"each row of /label_names is another name"});
}

void require_our_format(const hdf5::H5File& h5, const std::filesystem::path& file) {
    const bool known = h5.has_attribute("/", "format") && h5.is_text_attribute("/", "format");
    const std::string found = known ? h5.text_attribute("/", "format") : "";
    if (found != format)
        throw Error(text(file, " is no tile store",
                         known ? text(": its format is '", found, "'") : " but another HDF5 file"),
                    Hint{"civitas-preprocess makes one from maps, civitas generate from a model"});
    const std::int64_t version = h5.integer_attribute("/", "format_version");
    if (version != format_version)
        throw Error(text(file, " has version ", version, " of the tile format, this program reads ",
                         format_version),
                    Hint{"use the program that wrote it, or make the tiles again"});
    if (!h5.has_attribute("/", "complete") || h5.integer_attribute("/", "complete") != 1)
        throw Error(text(file, " was never finished"), Hint{"make the tiles again"});
}

}  // namespace

std::string_view to_string(Content content) { return content == Content::rgb ? "rgb" : "classes"; }

void check_header(const StoreHeader& header) {
    check_keys(header.numbers);
    check_keys(header.counts);
    check_keys(header.texts);
    constexpr double most_metres = 1e7;
    if (header.pixels < 1 || header.pixels > most_pixels || !(header.tile_metres > 0) ||
        header.tile_metres > most_metres)
        throw Error(text("tiles of ", header.pixels, " pixels and ", header.tile_metres,
                         " metres cannot be stored"),
                    Hint{text("1 to ", most_pixels, " pixels, more than 0 metres")});
    constexpr std::int64_t most_epsg = 10'000'000;
    if (header.crs_epsg < 0 || header.crs_epsg > most_epsg)
        throw Error(text("there is no reference system EPSG:", header.crs_epsg));
    check_labels(header.label_names);
}

void write_header(hdf5::H5File& h5, const StoreHeader& header) {
    h5.set_attribute("/", "format", std::string(format));
    h5.set_attribute("/", "format_version", format_version);
    h5.set_attribute("/", "program_version", std::string(civitas::version()));
    h5.set_attribute("/", "crs_epsg", header.crs_epsg);
    h5.set_attribute("/", "tile_metres", header.tile_metres);
    h5.set_attribute("/", "pixels", header.pixels);
    for (const auto& [name, value] : header.numbers) h5.set_attribute("/", name, value);
    for (const auto& [name, value] : header.counts) h5.set_attribute("/", name, value);
    for (const auto& [name, value] : header.texts) h5.set_attribute("/", name, value);
    for (const auto& [reason, count] : header.dropped)
        h5.set_attribute("/", std::string(dropped) + reason, count);
    h5.write_text("/crs_wkt", header.crs_wkt);
    if (header.content == Content::classes)
        h5.write_text("/classes", class_list);
    else
        h5.set_attribute("/", "content", std::string(to_string(header.content)));
    if (!header.label_names.empty()) h5.write_texts("/label_names", header.label_names);
    h5.write_text("/sources", to_lines(header.sources));
    h5.write_text("/licence", header.licence);
    h5.write_text("/command", header.command);
}

void mark_complete(hdf5::H5File& h5) { h5.set_attribute("/", "complete", std::int64_t{1}); }

StoreHeader read_header(const hdf5::H5File& h5, const std::filesystem::path& file) {
    require_our_format(h5, file);
    StoreHeader header{.crs_epsg = h5.integer_attribute("/", "crs_epsg"),
                       .crs_wkt = h5.read_text("/crs_wkt"),
                       .tile_metres = h5.number_attribute("/", "tile_metres"),
                       .pixels = h5.integer_attribute("/", "pixels"),
                       .sources = from_lines(h5.read_text("/sources"), file),
                       .licence = h5.read_text("/licence"),
                       .command = h5.read_text("/command"),
                       .content = content_of(h5, file),
                       .label_names = label_names_of(h5, file)};
    for (const std::string& name : h5.attributes("/")) {
        if (name.starts_with(dropped))
            header.dropped[name.substr(dropped.size())] = h5.integer_attribute("/", name);
        else if (!is_own(name) && h5.is_text_attribute("/", name))
            header.texts[name] = h5.text_attribute("/", name);
        else if (!is_own(name) && h5.is_count_attribute("/", name))
            header.counts[name] = h5.count_attribute("/", name);
        else if (!is_own(name))
            header.numbers[name] = h5.number_attribute("/", name);
    }
    try {
        check_header(header);
    } catch (const Error& e) {
        throw Error(text(file, ": ", e.what()), Hint{"the store is damaged: make the tiles again"});
    }
    return header;
}

}  // namespace civitas::data
