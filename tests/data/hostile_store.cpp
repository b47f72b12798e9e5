// Damaged and hostile stores.
#include "made_store.hpp"

#include <sys/stat.h>
#include <cmath>
#include <limits>

using namespace civitas;
using namespace civitas::data;
using namespace civitas::data::test_stores;
using Catch::Matchers::Contains;

TEST_CASE("a damaged description is named") {
    const auto world = Communicator::world();
    const test::SharedFolder folder(world, "store-description");
    const fs::path file = folder.path() / "tiles.h5";
    const auto after_flip = [&](const char* dataset, std::uint64_t byte) {
        return said_of(world, file,
                       [&] { flip(file, hdf5::H5File::open(file).offset(dataset) + byte); });
    };
    const auto is_noticed = [](const std::string& said) {
        CHECK_THAT(said, Contains("description is damaged") && Contains("checksum") &&
                             Contains("Hint: copy"));
    };
    CHECK(said_of(world, file, [] {}) == "opened");
    is_noticed(after_flip("/origin", 40));
    is_noticed(after_flip("/licence", 1));
    is_noticed(after_flip("/sources", 3));
    is_noticed(after_flip("/index", 17));
    is_noticed(after_flip("/checksum", 5));
    is_noticed(said_of(world, file, [&] {
        set_attribute(file, "crs_epsg", H5T_NATIVE_INT64, std::int64_t{21781});
    }));
    CHECK_THAT(after_flip("/split", 2), Contains("tile 2 of 9 has an unknown split"));
}

TEST_CASE("values that no store has are refused") {
    const auto world = Communicator::world();
    const test::SharedFolder folder(world, "store-values");
    const fs::path file = folder.path() / "tiles.h5";
    const auto with_metres = [&](double metres) {
        return said_of(world, file,
                       [&] { set_attribute(file, "tile_metres", H5T_NATIVE_DOUBLE, metres); });
    };
    for (const double metres : {std::nan(""), 0.0, -250.0})
        CHECK_THAT(with_metres(metres), Contains("metres cannot be stored") && Contains("Hint: "));
    const auto with_number = [&](const char* name, std::int64_t value) {
        return said_of(world, file, [&] { set_attribute(file, name, H5T_NATIVE_INT64, value); });
    };
    CHECK_THAT(with_number("complete", 0), Contains("was never finished"));
    CHECK_THAT(with_number("pixels", 1 << 20), Contains("pixels and 250 metres cannot be stored"));
    CHECK_THAT(with_number("crs_epsg", -1), Contains("no reference system EPSG:-1"));
    const auto with_values = [&](const char* dataset, auto value) {
        return said_of(world, file, [&] {
            const auto offset = hdf5::H5File::open(file).offset(dataset);
            io::RawFile::open_to_write(file).write_at(offset, std::as_bytes(std::span(&value, 1)));
        });
    };
    CHECK_THAT(with_values("/origin", std::numeric_limits<double>::quiet_NaN()),
               Contains("tile 0 of 9 has no place"));
    CHECK_THAT(with_values("/cover", 3.0F), Contains("a cover beyond 0 to 1"));
    CHECK_THAT(with_values("/variance", std::numeric_limits<float>::infinity()),
               Contains("no variance"));
    CHECK_THAT(with_values("/source", std::uint16_t{7}), Contains("an unknown source"));
}

TEST_CASE("links and data in other files are refused before they are followed") {
    const auto world = Communicator::world();
    const test::SharedFolder folder(world, "store-links");
    const fs::path file = folder.path() / "tiles.h5", fifo = folder.path() / "fifo";
    if (world.is_root()) REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
    const auto linked = [&](auto&& link) {
        return said_of(world, file, [&] {
            edit(file, [&](hid_t h5) {
                CHECK(H5Ldelete(h5, "/crs_wkt", H5P_DEFAULT) >= 0);
                CHECK(link(h5) >= 0);
            });
        });
    };
    CHECK_THAT(linked([&](hid_t h5) {
                   return H5Lcreate_external(fifo.c_str(), "/crs_wkt", h5, "/crs_wkt", H5P_DEFAULT,
                                             H5P_DEFAULT);
               }),
               Contains("/crs_wkt is a link to another file") && Contains("Hint: "));
    CHECK_THAT(linked([](hid_t h5) {
                   return H5Lcreate_soft("/licence", h5, "/crs_wkt", H5P_DEFAULT, H5P_DEFAULT);
               }),
               Contains("/crs_wkt is a soft link"));
    CHECK_THAT(linked([&](hid_t h5) {
                   const hid_t list = H5Pcreate(H5P_DATASET_CREATE);
                   H5Pset_external(list, fifo.c_str(), 0, 8);
                   const hsize_t length = 8;
                   const hid_t space = H5Screate_simple(1, &length, nullptr);
                   const hid_t made = H5Dcreate2(h5, "/crs_wkt", H5T_NATIVE_UINT8, space,
                                                 H5P_DEFAULT, list, H5P_DEFAULT);
                   H5Dclose(made);
                   H5Sclose(space);
                   H5Pclose(list);
                   return made < 0 ? -1 : 0;
               }),
               Contains("/crs_wkt keeps its data in another file") && Contains("Hint: "));
}

TEST_CASE("a text of variable length is refused before HDF5 follows it") {
    const auto world = Communicator::world();
    const test::SharedFolder folder(world, "store-variable");
    const fs::path file = folder.path() / "tiles.h5";
    const auto variable = [&](auto&& make) {
        return said_of(world, file, [&] {
            edit(file, [&](hid_t h5) {
                const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
                H5Tset_size(type, H5T_VARIABLE);
                const char* words = "civitas tiles";
                make(h5, type, space, &words);
                H5Sclose(space);
                H5Tclose(type);
            });
        });
    };
    CHECK_THAT(variable([](hid_t h5, hid_t type, hid_t space, const char** words) {
                   H5Ldelete(h5, "/crs_wkt", H5P_DEFAULT);
                   const hid_t made = H5Dcreate2(h5, "/crs_wkt", type, space, H5P_DEFAULT,
                                                 H5P_DEFAULT, H5P_DEFAULT);
                   CHECK(H5Dwrite(made, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, words) >= 0);
                   H5Dclose(made);
               }),
               Contains("/crs_wkt is a text of variable length") && Contains("Hint: "));
    CHECK_THAT(variable([](hid_t h5, hid_t type, hid_t space, const char** words) {
                   H5Adelete(h5, "format");
                   const hid_t made =
                       H5Acreate2(h5, "format", type, space, H5P_DEFAULT, H5P_DEFAULT);
                   CHECK(H5Awrite(made, type, words) >= 0);
                   H5Aclose(made);
               }),
               Contains("attribute 'format' is a text of variable length"));
}

TEST_CASE("a file that announces more tiles than it can hold costs nothing") {
    const auto world = Communicator::world();
    const test::SharedFolder folder(world, "store-bomb");
    const fs::path file = folder.path() / "tiles.h5";
    const auto announcing = [&](std::uint64_t tiles) {
        return said_of(world, file, [&] {
            edit(file, [&](hid_t h5) {
                const auto replace = [&](const char* name, hid_t type,
                                         const std::vector<hsize_t>& row) {
                    std::vector<hsize_t> shape{tiles}, chunk{1};
                    shape.insert(shape.end(), row.begin(), row.end());
                    chunk.insert(chunk.end(), row.begin(), row.end());
                    const hid_t list = H5Pcreate(H5P_DATASET_CREATE);
                    H5Pset_chunk(list, static_cast<int>(chunk.size()), chunk.data());
                    const hid_t space =
                        H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
                    H5Ldelete(h5, name, H5P_DEFAULT);
                    H5Dclose(H5Dcreate2(h5, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT));
                    H5Sclose(space);
                    H5Pclose(list);
                };
                replace("/tiles", H5T_NATIVE_UINT8, {side, side});
                replace("/origin", H5T_NATIVE_DOUBLE, {2});
                replace("/cover", H5T_NATIVE_FLOAT, {3});
                replace("/variance", H5T_NATIVE_FLOAT, {});
                replace("/source", H5T_NATIVE_UINT16, {});
                replace("/split", H5T_NATIVE_UINT8, {});
            });
        });
    };
    for (const std::uint64_t tiles : {std::uint64_t{1} << 26, std::uint64_t{1} << 40})
        CHECK_THAT(announcing(tiles),
                   Contains(text("announces ", tiles, " tiles, but has only")) && Contains("Hint"));
}
