#pragma once
// Small stores, and ways to change them behind our own writer's back.
#include "civitas/comm/agree.hpp"
#include "civitas/data/store_writer.hpp"
#include "civitas/hdf5/hdf5.hpp"
#include "civitas/io/files.hpp"

#include "support/agree.hpp"
#include "support/shared_folder.hpp"

#include <hdf5.h>
#include <array>

namespace civitas::data::test_stores {

namespace fs = std::filesystem;
using comm::Communicator;

constexpr std::int64_t side = 8;

inline std::vector<std::uint8_t> pixels_of(std::int64_t tile) {
    std::vector<std::uint8_t> pixels(side * side);
    for (std::size_t i = 0; i < pixels.size(); ++i)
        pixels[i] = static_cast<std::uint8_t>((i * i + static_cast<std::size_t>(tile) * 7) % 3);
    return pixels;
}

inline StoreHeader header() {
    return {.crs_epsg = 2056, .pixels = side, .sources = {{"a town", ""}}, .licence = "none"};
}

inline void write_alone(const fs::path& file, std::int64_t tiles) {
    const std::vector<TileRecord> records(static_cast<std::size_t>(tiles));
    std::vector<PackedTile> packed;
    for (std::int64_t t = 0; t < tiles; ++t) packed.push_back(pack(pixels_of(t)));
    const auto alone = Communicator::self();
    StoreWriter writer(alone, file, header(), tiles);
    writer.append(records, packed);
    writer.close();
}

inline bool holds(const TileStore& store, std::int64_t tiles) {
    std::vector<std::uint8_t> pixels(side * side);
    for (std::int64_t t = 0; t < tiles; ++t) {
        store.read(TileIndex{t}, pixels);
        if (pixels != pixels_of(t)) return false;
    }
    return store.size() == tiles;
}

/// Change a file with HDF5's own words.
template <class Act>
void edit(const fs::path& file, Act&& act) {
    const hid_t h5 = H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    REQUIRE(h5 >= 0);
    act(h5);
    H5Fclose(h5);
}

inline void forget_index(const fs::path& file) {
    edit(file, [](hid_t h5) {
        CHECK(H5Ldelete(h5, "/index", H5P_DEFAULT) >= 0);
        CHECK(H5Ldelete(h5, "/checksum", H5P_DEFAULT) >= 0);
    });
}

template <class T>
void set_attribute(const fs::path& file, const char* name, hid_t type, T value) {
    edit(file, [&](hid_t h5) {
        const hid_t attribute = H5Aopen(h5, name, H5P_DEFAULT);
        CHECK(H5Awrite(attribute, type, &value) >= 0);
        H5Aclose(attribute);
    });
}

inline void flip(const fs::path& file, std::uint64_t offset) {
    const auto raw = io::RawFile::open_to_write(file);
    std::array<std::byte, 1> one{};
    raw.read_at(offset, one);
    one[0] ^= std::byte{0x10};
    raw.write_at(offset, one);
}

/// What opening says of a store of 9 tiles that `change` has changed.
template <class Change>
std::string said_of(const Communicator& ranks, const fs::path& file, Change&& change) {
    comm::agree(ranks, [&] {
        if (!ranks.is_root()) return;
        fs::remove(file);
        write_alone(file, 9);
        change();
    });
    try {
        static_cast<void>(TileStore::open(ranks, file));
    } catch (const AgreedError& e) {
        ranks.barrier();
        return e.what();
    }
    return "opened";
}

}  // namespace civitas::data::test_stores
