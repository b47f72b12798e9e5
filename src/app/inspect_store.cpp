#include "inspect.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/printable.hpp"
#include "civitas/data/tile_store.hpp"

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
        std::ostringstream out;
        const double n = std::max<double>(1, static_cast<double>(tiles));
        out << std::fixed << std::setprecision(3) << "building " << sum[2] / n << ", road "
            << sum[1] / n << ", other " << sum[0] / n;
        return out.str();
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

/// Read every tile; covers by split, where there are classes.
std::array<Covers, 2> read_all(const data::TileStore& store) {
    std::array<Covers, 2> found;
    const bool classes = store.header().content == data::Content::classes;
    std::vector<std::uint8_t> pixels(static_cast<std::size_t>(store.header().tile_bytes()));
    for (std::int64_t i = 0; i < store.size(); ++i) {
        store.read(TileIndex{i}, pixels);
        const data::TileRecord& record = store.records()[static_cast<std::size_t>(i)];
        Covers& covers = found.at(record.split == data::Split::train ? 0 : 1);
        covers.stored.add(classes ? shares_of(pixels) : std::array<double, 3>{});
        covers.recorded.add(record.cover);
    }
    return found;
}

/// As many digits as read back to the same number.
std::string digits(double value) {
    std::array<char, 64> room{};
    constexpr double most_whole = 1e15;
    const bool whole = std::abs(value) < most_whole && value == std::floor(value);
    const auto end = whole ? std::to_chars(room.data(), room.data() + room.size(), value,
                                           std::chars_format::fixed, 0)
                           : std::to_chars(room.data(), room.data() + room.size(), value);
    return {room.data(), end.ptr};
}

void show(std::ostream& out, const std::string& name, const std::string& value) {
    out << "  " << std::left << std::setw(22) << printable(name) << printable(value) << '\n';
}

void show_images(std::ostream& out, const std::array<Covers, 2>& covers) {
    show(out, "training", text(covers[0].stored.tiles, " images"));
    show(out, "test", text(covers[1].stored.tiles, " images"));
}

/// How many tiles of each class there are.
void show_labels(std::ostream& out, const data::TileStore& store) {
    constexpr std::size_t most = 100;
    const auto& names = store.header().label_names;
    std::vector<std::array<std::int64_t, 2>> counts(names.size());
    for (const data::TileRecord& r : store.records())
        if (!names.empty()) ++counts.at(r.label).at(r.split == data::Split::train ? 0 : 1);
    for (std::size_t c = 0; c < std::min(most, names.size()); ++c)
        out << "  label " << c << ": " << printable(names[c]) << ", " << counts[c][0]
            << " to train, " << counts[c][1] << " to test\n";
    if (names.size() > most) out << "  and " << names.size() - most << " more labels\n";
}

void show_covers(std::ostream& out, const std::array<Covers, 2>& covers, bool synthetic) {
    if (!synthetic) {
        for (const auto& [name, c] : {std::pair{"training", covers[0]}, {"test", covers[1]}})
            show(out, name, text(c.stored.tiles, " tiles, mean cover ", c.stored.words()));
        return;
    }
    show(out, "plans", text(covers[0].stored.tiles, ", mean cover ", covers[0].stored.words()));
    show(out, "before arg-max", text("mean cover ", covers[0].recorded.words()));
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
    out << file.string() << ": tile store, " << store.size()
        << (images      ? " images of "
            : synthetic ? " plans (synthetic) of "
                        : " tiles of ")
        << h.pixels << " px, ";
    if (images)
        out << "rgb\n";
    else
        out << digits(h.tile_metres) << " m, EPSG:" << h.crs_epsg << '\n';
    const auto covers = read_all(store);
    if (images)
        show_images(out, covers);
    else
        show_covers(out, covers, synthetic);
    show_labels(out, store);
    show_header(out, h);
    out << (store.indexed() ? "  whole: every tile can be read, and the checksum is right\n"
                            : "  whole: every tile can be read (there is no index)\n");
}

}  // namespace civitas::app
