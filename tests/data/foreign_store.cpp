// Stores that others wrote, see or changed, and those written in batches.
#include "made_store.hpp"

#include <dlfcn.h>
#include <array>
#include <utility>

using namespace civitas;
using namespace civitas::data;
using namespace civitas::data::test_stores;
using Catch::Matchers::Contains;

namespace {

int& searches() {
    static int count = 0;
    return count;
}

/// How often HDF5 was asked for one chunk since the last call: it looks from the beginning of its
/// index each time, so that listing a store's tiles one by one takes for ever.
int searches_since() { return std::exchange(searches(), 0); }

}  // namespace

/// Stands before HDF5's own in this program.
extern "C" herr_t H5Dget_chunk_info_by_coord(hid_t dataset, const hsize_t* corner,
                                             unsigned* skipped, haddr_t* address, hsize_t* bytes) {
    using Search = herr_t (*)(hid_t, const hsize_t*, unsigned*, haddr_t*, hsize_t*);
    const auto hdf5s = reinterpret_cast<Search>(dlsym(RTLD_NEXT, "H5Dget_chunk_info_by_coord"));
    ++searches();
    return hdf5s(dataset, corner, skipped, address, bytes);
}

TEST_CASE("twenty thousand tiles open through the index, and without it in one pass") {
    const auto world = Communicator::world();
    const test::SharedFolder folder(world, "store-many");
    const fs::path file = folder.path() / "many.h5";
    constexpr std::int64_t many = 20'000;
    comm::agree(world, [&] {
        if (world.is_root()) write_alone(file, many);
    });
    std::string hash;
    {
        const TileStore store = TileStore::open(world, file);
        CHECK(store.indexed());
        CHECK(holds(store, many));
        hash = store.hash();
    }
    world.barrier();
    comm::agree(world, [&] {
        if (world.is_root()) forget_index(file);
    });
    (void)searches_since();
    const TileStore store = TileStore::open(world, file);
#if !H5_VERSION_GE(1, 12, 0) || H5_VERSION_GE(1, 14, 0)
    CHECK(searches_since() == 0);
#endif
    CHECK_FALSE(store.indexed());
    CHECK(holds(store, many));
    CHECK(store.hash() == hash);
    world.barrier();
}

TEST_CASE("the chunks of the latest format, without the first one's index, are listed one by one") {
    const auto world = Communicator::world();
    const test::SharedFolder folder(world, "store-latest");
    const fs::path old = folder.path() / "old.h5", latest = folder.path() / "latest.h5";
    comm::agree(world, [&] {
        if (!world.is_root()) return;
        write_alone(old, 30);
        forget_index(old);
        const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
        H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
        const hid_t from = H5Fopen(old.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
        const hid_t to = H5Fcreate(latest.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access);
        // H5Ocopy would keep the old index.
        const hid_t tiles = H5Dopen2(from, "tiles", H5P_DEFAULT);
        const hid_t layout = H5Dget_create_plist(tiles), space = H5Dget_space(tiles);
        std::vector<std::uint8_t> pixels(30 * side * side);
        CHECK(H5Dread(tiles, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, pixels.data()) >= 0);
        const hid_t anew =
            H5Dcreate2(to, "tiles", H5T_NATIVE_UINT8, space, H5P_DEFAULT, layout, H5P_DEFAULT);
        CHECK(H5Dwrite(anew, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, pixels.data()) >= 0);
        for (const hid_t dataset : {anew, tiles}) H5Dclose(dataset);
        H5Sclose(space);
        H5Pclose(layout);
        H5Fclose(to);
        H5Fclose(from);
        H5Pclose(access);
        auto h5 = hdf5::H5File::open(old);
        CHECK(h5.row_chunks("/tiles").size() == 30);
    });
    (void)searches_since();
    CHECK(hdf5::H5File::open(latest).row_chunks("/tiles").size() == 30);
#if !H5_VERSION_GE(1, 14, 0)
    CHECK(searches_since() == 30);
#endif
    world.barrier();
}

TEST_CASE("a rank that sees another store is told so by name") {
    const auto world = Communicator::world();
    const test::SharedFolder folder(world, "store-other");
    comm::agree(world, [&] {
        if (!world.is_root()) return;
        for (const char* name : {"0", "1"}) fs::create_directory(folder.path() / name);
        write_alone(folder.path() / "0" / "tiles.h5", 9);
        fs::copy_file(folder.path() / "0" / "tiles.h5", folder.path() / "1" / "tiles.h5");
    });
    const fs::path seen = folder.path() / (world.is_root() ? "0" : "1") / "tiles.h5";
    CHECK(holds(TileStore::open(world, seen), 9));
    world.barrier();
    comm::agree(world, [&] {
        const fs::path other = folder.path() / "1" / "tiles.h5";
        if (world.is_root()) flip(other, hdf5::H5File::open(other).offset("/checksum"));
    });
    if (world.size() == 1) return;
    CHECK_THROWS_WITH(TileStore::open(world, seen),
                      Contains("rank 1") && Contains("another tile store lies at") &&
                          Contains("bytes, mark") && Contains("Hint: keep it on a disk"));
    world.barrier();
}

TEST_CASE("a store in many batches is the store in one") {
    const auto world = Communicator::world();
    const test::SharedFolder folder(world, "store-batches");
    const fs::path once = folder.path() / "once.h5", parts = folder.path() / "parts.h5";
    if (world.is_root()) write_alone(once, 10);
    {
        StoreWriter writer(world, parts, header(), 10);
        std::vector<TileRecord> records;
        std::vector<PackedTile> tiles;
        for (std::int64_t first = 0; first < 10; first += 4) {
            const Range batch{first, std::min<std::int64_t>(4, 10 - first)};
            const Range mine = block_range(batch.count, index(world.rank()), world.size());
            records.assign(static_cast<std::size_t>(mine.count), {});
            tiles.clear();
            for (std::int64_t t = mine.begin; t < mine.end(); ++t)
                tiles.push_back(pack(pixels_of(first + t)));
            writer.append(records, tiles);
        }
        CHECK_FALSE(fs::exists(parts));
        world.barrier();
        writer.close();
    }
    CHECK(io::read_text_file(parts) == io::read_text_file(once));
    world.barrier();
}

TEST_CASE("a store that no disk can hold is refused at once") {
    const auto world = Communicator::world();
    const test::SharedFolder folder(world, "store-huge");
    constexpr std::int64_t huge = std::int64_t{1} << 58;
    CHECK_THROWS_WITH(StoreWriter(world, folder.path() / "huge.h5", header(), huge),
                      Contains(text("no room for ", huge, " tiles")) && Contains("Hint: free"));
    world.barrier();
    CHECK(fs::is_empty(folder.path()));
}

#if !H5_VERSION_GE(1, 14, 0)
TEST_CASE("more chunks than can be looked for one by one are refused at once") {
    const auto world = Communicator::world();
    const test::SharedFolder folder(world, "store-latest-many");
    const fs::path file = folder.path() / "latest.h5";
    comm::agree(world, [&] {
        if (!world.is_root()) return;
        const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
        H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
        const hid_t to = H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access);
        const std::array<hsize_t, 2> shape{5001, 1}, chunk{1, 1};
        const hid_t space = H5Screate_simple(2, shape.data(), nullptr);
        const hid_t layout = H5Pcreate(H5P_DATASET_CREATE);
        H5Pset_chunk(layout, 2, chunk.data());
        const hid_t tiles =
            H5Dcreate2(to, "tiles", H5T_NATIVE_UINT8, space, H5P_DEFAULT, layout, H5P_DEFAULT);
        const std::vector<std::uint8_t> pixels(shape[0]);
        CHECK(H5Dwrite(tiles, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, pixels.data()) >= 0);
        H5Dclose(tiles);
        H5Pclose(layout);
        H5Sclose(space);
        H5Fclose(to);
        H5Pclose(access);
    });
    (void)searches_since();
    CHECK_THROWS_WITH(hdf5::H5File::open(file).row_chunks("/tiles"),
                      Contains("finds its 5001 chunks only one by one"));
    CHECK(searches_since() == 0);
    world.barrier();
}
#endif
