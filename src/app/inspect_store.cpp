#include "inspect.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/printable.hpp"
#include "civitas/base/text.hpp"
#include "civitas/data/labels.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iomanip>
#include <ostream>

namespace civitas::app {
namespace {

/// A share per LandClass, summed over tiles.
struct Cover {
    std::array<double, 3> sum{};
    std::int64_t tiles = 0;

    template <class Shares>
    void add(const Shares& shares) {
        for (std::size_t c = 0; c < sum.size(); ++c) sum.at(c) += static_cast<double>(shares.at(c));
        ++tiles;
    }
    [[nodiscard]] std::string words() const {
        const double n = std::max<double>(1, static_cast<double>(tiles));
        return text("mean cover building ", fixed(sum[2] / n, 3), ", road ", fixed(sum[1] / n, 3),
                    ", other ", fixed(sum[0] / n, 3));
    }
};

/// Cover of the stored pixels and what the records say, of some tiles.
struct Covers {
    Cover stored, recorded;
};

std::array<double, 3> shares_of(const std::vector<std::uint8_t>& pixels) {
    std::array<double, 3> shares{};
    for (const std::uint8_t c : pixels) shares.at(c) += 1 / static_cast<double>(pixels.size());
    return shares;
}

/// Read every tile; covers by split, of images none.
std::array<Covers, 2> read_all(const data::TileStore& store) {
    std::array<Covers, 2> found;
    const bool images = store.header().content == data::Content::rgb;
    std::vector<std::uint8_t> pixels(static_cast<std::size_t>(store.header().tile_bytes()));
    for (std::int64_t i = 0; i < store.size(); ++i) {
        store.read(TileIndex{i}, pixels);
        const data::TileRecord& record = store.records()[static_cast<std::size_t>(i)];
        Covers& covers = found.at(record.split == data::Split::train ? 0 : 1);
        covers.stored.add(images ? std::array<double, 3>{} : shares_of(pixels));
        covers.recorded.add(record.cover);
    }
    return found;
}

/// As many digits as read back to the same number.
std::string digits(double value) {
    constexpr double most_whole = 1e15;
    if (std::abs(value) < most_whole && value == std::floor(value)) return fixed(value, 0);
    std::array<char, 64> room{};
    return {room.data(), std::to_chars(room.data(), room.data() + room.size(), value).ptr};
}

void show(std::ostream& out, const std::string& name, const std::string& value) {
    out << "  " << std::left << std::setw(22) << printable(name) << printable(value) << '\n';
}

void show_covers(std::ostream& out, const std::array<Covers, 2>& covers, bool images) {
    for (const auto& [name, c] :
         {std::pair{"training", covers[0].stored}, {"test", covers[1].stored}})
        show(out, name, images ? text(c.tiles, " images") : text(c.tiles, " tiles, ", c.words()));
}

void show_plans(std::ostream& out, const Covers& covers) {
    show(out, "plans", text(covers.stored.tiles, ", ", covers.stored.words()));
    show(out, "before arg-max", covers.recorded.words());
}

void show_header(std::ostream& out, const data::StoreHeader& h) {
    for (const auto& [name, value] : h.numbers) show(out, name, digits(value));
    for (const auto& [name, value] : h.counts) show(out, name, std::to_string(value));
    for (const auto& [name, value] : h.texts) show(out, name, value);
    for (const auto& [why, count] : h.dropped)
        out << "  left out: " << printable(why) << ": " << count << '\n';
    for (const auto& source : h.sources)
        out << "  source: " << printable(source.name) << ' ' << printable(source.hash) << '\n';
    out << "  licence: " << printable(h.licence) << "\n  made by: " << printable(h.command) << '\n';
}

}  // namespace

void show_store(const comm::Communicator& alone, const std::filesystem::path& file,
                std::ostream& out) {
    const auto store = data::TileStore::open(alone, file);
    const data::StoreHeader& h = store.header();
    const bool synthetic = h.texts.contains("synthetic");
    const bool images = h.content == data::Content::rgb;
    const char* what = images ? "images" : synthetic ? "plans (synthetic)" : "tiles";
    out << file.string() << ": tile store, " << store.size() << ' ' << what << " of " << h.pixels
        << " px, " << (images ? "rgb" : text(digits(h.tile_metres), " m, EPSG:", h.crs_epsg))
        << '\n';
    const auto covers = read_all(store);
    synthetic ? show_plans(out, covers[0]) : show_covers(out, covers, images);
    for (const std::string& line : data::lines_of_labels(store)) out << "  " << line << '\n';
    show_header(out, h);
    out << (store.indexed() ? "  whole: every tile can be read, and the checksum is right\n"
                            : "  whole: every tile can be read (there is no index)\n");
}

}  // namespace civitas::app
