// Stores of images and labels that are damaged or of others.
#include "made_images.hpp"

using namespace civitas;
using namespace civitas::data;
using namespace civitas::data::test_stores;
using Catch::Matchers::Contains;

TEST_CASE("labels and images that are damaged or foreign are named") {
    const auto world = Communicator::world();
    const test::SharedFolder folder(world, "store-labels-hostile");
    const fs::path file = folder.path() / "tiles.h5";
    /// Of 9 tiles with labels, after `act` has changed the file in HDF5's own words.
    const auto said = [&](auto&& act) {
        comm::agree(world, [&] {
            if (!world.is_root()) return;
            fs::remove(file);
            write_images(Communicator::self(), file, 9);
            edit(file, act);
        });
        try {
            static_cast<void>(TileStore::open(world, file));
        } catch (const AgreedError& e) {
            world.barrier();
            return std::string(e.what());
        }
        world.barrier();
        return std::string("opened");
    };
    const auto replace = [](hid_t h5, const char* name, hid_t type, std::vector<hsize_t> shape,
                            const void* values) {
        H5Ldelete(h5, name, H5P_DEFAULT);
        const hid_t space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
        const hid_t made = H5Dcreate2(h5, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        if (values != nullptr)
            CHECK(H5Dwrite(made, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
        H5Dclose(made);
        H5Sclose(space);
    };
    CHECK(said([](hid_t) {}) == "opened");
    const std::vector<std::uint16_t> eight(8), wrong{0, 1, 2, 0, 1, 2, 0, 1, 3};
    CHECK_THAT(said([&](hid_t h5) { replace(h5, "/labels", H5T_NATIVE_UINT16, {8}, &eight[0]); }),
               Contains("/labels is 8, not 9") && Contains("Hint: "));
    CHECK_THAT(said([&](hid_t h5) { replace(h5, "/labels", H5T_NATIVE_UINT16, {9}, &wrong[0]); }),
               Contains("tile 8 of 9 has label 3 of 3 classes"));
    const std::vector<std::int64_t> wide(9);
    CHECK_THAT(said([&](hid_t h5) { replace(h5, "/labels", H5T_NATIVE_INT64, {9}, &wide[0]); }),
               Contains("/labels: elements are i64, not u16"));
    CHECK_THAT(said([](hid_t h5) { H5Ldelete(h5, "/labels", H5P_DEFAULT); }),
               Contains("/label_names is there without /labels") && Contains("Hint: "));
    CHECK_THAT(said([](hid_t h5) { H5Ldelete(h5, "/label_names", H5P_DEFAULT); }),
               Contains("/labels is there without /label_names"));
    CHECK_THAT(
        said([&](hid_t h5) { replace(h5, "/label_names", H5T_NATIVE_INT64, {9}, &wide[0]); }),
        Contains("/label_names is not a row of texts") && Contains("Hint: "));
    CHECK_THAT(said([&](hid_t h5) {
                   const hid_t type = H5Tcopy(H5T_C_S1);
                   H5Tset_size(type, H5T_VARIABLE);
                   const std::array<const char*, 3> names{"a", "b", "c"};
                   replace(h5, "/label_names", type, {3}, names.data());
                   H5Tclose(type);
               }),
               Contains("/label_names is a text of variable length") && Contains("Hint: "));
    CHECK_THAT(said([&](hid_t h5) {
                   const hid_t type = H5Tcopy(H5T_C_S1);
                   H5Tset_size(type, std::size_t{1} << 30);
                   replace(h5, "/label_names", type, {3}, nullptr);
                   H5Tclose(type);
               }),
               Contains("/label_names"));
    CHECK_THAT(said([&](hid_t h5) {
                   replace(h5, "/tiles", H5T_NATIVE_UINT8, {9, side, side, 4}, nullptr);
               }),
               Contains("/tiles is 9 x 8 x 8 x 4, not 9 x 8 x 8 x 3") && Contains("content = rgb"));
    CHECK_THAT(said([&](hid_t h5) {
                   replace(h5, "/tiles", H5T_NATIVE_UINT16, {9, side, side, 3}, nullptr);
               }),
               Contains("the elements of /tiles are not u8") && Contains("Hint: "));
    CHECK_THAT(said([](hid_t h5) { H5Adelete(h5, "content"); }),
               Contains("/tiles is 9 x 8 x 8 x 3, not 9 x 8 x 8"));
    CHECK_THAT(said([](hid_t h5) {
                   const hid_t attribute = H5Aopen(h5, "content", H5P_DEFAULT);
                   const std::array<char, 4> words{"cmy"};
                   CHECK(H5Awrite(attribute, H5Aget_type(attribute), words.data()) >= 0);
                   H5Aclose(attribute);
               }),
               Contains("the content 'cmy' is unknown") && Contains("classes or rgb"));
    CHECK_THAT(said([&](hid_t h5) {
                   const std::vector<std::uint16_t> other{1, 1, 1, 1, 1, 1, 1, 1, 1};
                   const hid_t labels = H5Dopen2(h5, "/labels", H5P_DEFAULT);
                   CHECK(H5Dwrite(labels, H5T_NATIVE_UINT16, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                                  &other[0]) >= 0);
                   H5Dclose(labels);
               }),
               Contains("description is damaged") && Contains("checksum"));
}
