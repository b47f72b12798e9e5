#pragma once
/// Stores written here, and the program called on them as its main does.
#include "preprocess/vectorize/command.hpp"

#include "civitas/base/error.hpp"
#include "civitas/data/tile_store.hpp"
#include "maps.hpp"
#include "support/agree.hpp"
#include "support/shared_folder.hpp"

#include <set>

namespace civitas::test {

inline constexpr double kMetres = 250;
inline constexpr int kSide = 128;
inline constexpr const char* kFingerprint = "0123456789abcdef";

/// One folder for all ranks, and what is in it.
class Folder : public SharedFolder {
public:
    explicit Folder(const comm::Communicator& ranks) : SharedFolder(ranks, "vectorize") {}
    [[nodiscard]] std::string operator/(const char* name) const { return (path() / name).string(); }
    [[nodiscard]] std::set<std::string> names() const {
        std::set<std::string> all;
        for (const auto& entry : std::filesystem::directory_iterator(path()))
            all.insert(entry.path().filename());
        return all;
    }
};

inline ClassRaster town(double turn) {
    std::vector<std::pair<vectorize::Shape, std::uint8_t>> shapes{
        {turned_rectangle({64, 64}, 300, 8, 10 + turn), vectorize::kRoad},
        {turned_rectangle({64, 64}, 8, 300, 10 + turn), vectorize::kRoad}};
    for (const double x : {25.0, 45.0, 85.0, 105.0}) {
        for (const double y : {25.0, 45.0, 85.0, 105.0}) {
            shapes.push_back({turned_rectangle({x, y}, 12, 8, 10 + turn), vectorize::kBuilding});
        }
    }
    return drawn(shapes, kSide);
}

inline data::StoreHeader header(bool generated) {
    data::StoreHeader h;
    h.crs_epsg = 2056;
    h.tile_metres = kMetres;
    h.pixels = kSide;
    h.licence = "free";
    if (generated) {
        h.numbers["seed"] = 7;
        h.texts["fingerprint"] = kFingerprint;
    }
    return h;
}

/// Three towns side by side, the first rank's.
inline void write_store(const comm::Communicator& ranks, const std::string& file,
                        const data::StoreHeader& h) {
    std::vector<data::TileRecord> records;
    std::vector<std::uint8_t> pixels;
    for (int i = 0; i < (ranks.is_root() ? 3 : 0); ++i) {
        data::TileRecord record;
        record.easting = 2600000 + i * kMetres;
        record.northing = 1200000;
        records.push_back(record);
        const auto raster = town(5.0 * i);
        pixels.insert(pixels.end(), raster.classes.begin(), raster.classes.end());
    }
    data::write_tile_store(ranks, file, h, records, pixels);
}

inline Exit call(std::vector<const char*> words) {
    words.insert(words.begin(), "civitas-vectorize");
    return vectorize::vectorize_command(comm::Communicator::world(), static_cast<int>(words.size()),
                                        words.data());
}

inline std::string refusal(const std::vector<const char*>& words, bool usage) {
    try {
        (void)call(words);
    } catch (const AgreedError& error) {
        CHECK(error.usage() == usage);
        return error.what();
    }
    return "not refused";
}

}  // namespace civitas::test
