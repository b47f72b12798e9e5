#include "store.hpp"

#include "civitas/base/error.hpp"

#include <cpl_string.h>
#include <algorithm>

namespace civitas::vectorize {
namespace {

constexpr double kFinestPixel = 0.01;  // metres; coordinates are whole millimetres
constexpr double kFarthest = 1e9;      // metres

/// The seed as a whole number where the store keeps those.
template <class Header>
std::optional<std::uint64_t> exact_seed(const Header& header) {
    if constexpr (requires { header.counts; }) {
        const auto exact = header.counts.find("seed");
        if (exact != header.counts.end()) return exact->second;
    }
    return std::nullopt;
}

/// The decimals of a 64 bit number: exact, as text, or as the double of older stores.
std::optional<std::string> seed_of(const data::StoreHeader& header) {
    if (const auto exact = exact_seed(header)) return text(*exact);
    const auto words = header.texts.find("seed");
    if (words != header.texts.end()) return one_line(words->second);
    const auto number = header.numbers.find("seed");
    if (number == header.numbers.end() || !(number->second >= 0 && number->second < 0x1p64)) {
        return std::nullopt;
    }
    return text(static_cast<std::uint64_t>(number->second));
}

bool at_zero(const data::TileRecord& record) { return record.easting == 0 && record.northing == 0; }

bool is_anchored(const data::TileStore& store) {
    const auto& texts = store.header().texts;
    const auto said = texts.find("anchor");
    if (said != texts.end()) return said->second != "none" && !said->second.empty();
    const auto& records = store.records();
    return std::none_of(records.begin(), records.end(), at_zero);
}

}  // namespace

std::string one_line(const std::string& words) {
    std::string line;
    for (const char c : words) {
        const auto byte = static_cast<unsigned char>(c);
        const bool control = byte < 0x20 || byte == 0x7f;
        if (!control) line += c;
        if (control && !line.empty() && line.back() != ' ') line += ' ';
    }
    while (!line.empty() && line.back() == ' ') line.pop_back();
    if (CPLIsUTF8(line.c_str(), -1) != 0) return line;
    std::replace_if(
        line.begin(), line.end(), [](char c) { return (c & 0x80) != 0; }, '?');
    return line;
}

void require_mappable(const data::TileStore& store, const std::string& file) {
    data::require_classes(store);
    const auto& header = store.header();
    const Hint again{"the store is damaged or of another program: make the tiles again"};
    if (!(header.tile_metres > 0 && header.tile_metres <= kFarthest)) {
        throw Error(text(file, ": tiles of ", header.tile_metres, " m a side cannot be drawn"),
                    again);
    }
    const double pixel = header.tile_metres / static_cast<double>(header.pixels);
    if (!(pixel >= kFinestPixel)) {
        throw Error(text(file, ": pixels of ", 1000 * pixel, " mm a side (", header.pixels, " in ",
                         header.tile_metres, " m) are too fine for a map in millimetres, the ",
                         "finest are of 10 mm"),
                    again);
    }
    for (std::int64_t i = 0; i < store.size(); ++i) {
        const auto& record = store.records()[static_cast<std::size_t>(i)];
        const bool near =
            std::abs(record.easting) <= kFarthest && std::abs(record.northing) <= kFarthest;
        if (near) continue;  // never with NaN
        throw Error(text(file, ": tile ", i, " lies at ", record.easting, ", ", record.northing,
                         ", farther than ", kFarthest, " m from 0,0"),
                    again);
    }
}

Provenance provenance_of(const data::TileStore& store) {
    const auto& header = store.header();
    Provenance from;
    from.crs_wkt = header.crs_wkt;
    from.crs_epsg = header.crs_epsg;
    const auto fingerprint = header.texts.find("fingerprint");
    from.synthetic = fingerprint != header.texts.end() || header.texts.contains("synthetic");
    from.anchored = !from.synthetic || is_anchored(store);
    from.seed = seed_of(header);
    if (fingerprint != header.texts.end()) from.fingerprint = one_line(fingerprint->second);
    from.licence = one_line(header.licence);
    return from;
}

std::vector<data::TilePlace> places_in_order(const data::TileStore& store,
                                             const std::vector<std::int64_t>& chosen,
                                             bool synthetic) {
    std::vector<TileIndex> rows;
    for (const std::int64_t tile : chosen) rows.push_back(TileIndex{tile});
    auto places = data::places_of(store, rows);
    if (synthetic) return places;
    using data::TilePlace;
    std::stable_sort(places.begin(), places.end(), [](const TilePlace& a, const TilePlace& b) {
        return std::tuple(-a.south, a.west) < std::tuple(-b.south, b.west);
    });
    return places;
}

bool is_one_map(const data::StoreHeader& header, const Provenance& from) {
    return !from.synthetic || header.texts.contains("grid");
}

bool overlapping(const data::StoreHeader& header) {
    const auto stride = header.numbers.find("stride_metres");
    return stride != header.numbers.end() && stride->second < header.tile_metres;
}

}  // namespace civitas::vectorize
