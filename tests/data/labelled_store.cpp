// Stores of images, stores with labels, and what a classifier is to learn of them.
#include "civitas/data/labels.hpp"
#include "made_images.hpp"

using namespace civitas;
using namespace civitas::data;
using namespace civitas::data::test_stores;
using Catch::Matchers::Contains;

namespace {

/// A store of classes whose tiles have these labels or sources, and one test tile in the end.
TileStore store_of(const Communicator& world, const fs::path& file, StoreHeader h,
                   const std::vector<int>& values) {
    comm::agree(world, [&] {
        if (!world.is_root()) return;
        std::vector<TileRecord> records(values.size());
        std::vector<std::uint8_t> pixels;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const auto value = static_cast<std::uint16_t>(values[i]);
            (h.label_names.empty() ? records[i].source : records[i].label) = value;
            const auto tile = pixels_of(static_cast<std::int64_t>(i));
            pixels.insert(pixels.end(), tile.begin(), tile.end());
        }
        records.back().split = Split::test;
        write_tile_store(Communicator::self(), file, h, records, pixels);
    });
    return TileStore::open(world, file);
}

}  // namespace

TEST_CASE("images and labels come back, the same file whoever wrote it") {
    const auto world = Communicator::world();
    const test::SharedFolder folder(world, "store-images");
    write_images(world, folder.path() / "together.h5", 13);
    comm::agree(world, [&] {
        if (world.is_root()) write_images(Communicator::self(), folder.path() / "alone.h5", 13);
    });
    const TileStore store = TileStore::open(world, folder.path() / "together.h5");
    CHECK(io::read_text_file(folder.path() / "together.h5") ==
          io::read_text_file(folder.path() / "alone.h5"));
    CHECK(store.indexed());
    CHECK(store.header().content == Content::rgb);
    CHECK(store.header().label_names == image_header().label_names);
    REQUIRE(store.size() == 13);
    for (std::int64_t t = 0; t < 13; ++t) {
        std::vector<std::uint8_t> bytes(image_bytes);
        store.read(TileIndex{t}, bytes);
        CHECK(bytes == image_of(t));
        CHECK(store.records()[static_cast<std::size_t>(t)].label == image_record(t).label);
    }
    const auto h5 = hdf5::H5File::open(folder.path() / "together.h5");
    CHECK(h5.shape("/tiles") == hdf5::Extent{13, side, side, 3});
    CHECK(h5.text_attribute("/", "content") == "rgb");
    CHECK_FALSE(h5.has("/classes"));
    CHECK(h5.type("/labels") == hdf5::ElementType::u16);
    world.barrier();
}

TEST_CASE("images open without the store's own index, too") {
    const auto world = Communicator::world();
    const test::SharedFolder folder(world, "store-images-listed");
    const fs::path file = folder.path() / "images.h5";
    write_images(world, file, 6);
    const std::string hash = TileStore::open(world, file).hash();
    world.barrier();
    comm::agree(world, [&] {
        if (world.is_root()) forget_index(file);
    });
    const TileStore store = TileStore::open(world, file);
    CHECK_FALSE(store.indexed());
    CHECK(store.hash() == hash);
    std::vector<std::uint8_t> bytes(image_bytes);
    store.read(TileIndex{5}, bytes);
    CHECK(bytes == image_of(5));
    world.barrier();
}

TEST_CASE("the hash tells labels, their names and what bytes are; stores without keep theirs") {
    const auto world = Communicator::world();
    const test::SharedFolder folder(world, "store-meaning");
    StoreHeader h = header();
    const auto hash_of = [&](const char* name, const StoreHeader& of, const std::vector<int>& v) {
        return store_of(world, folder.path() / name, of, v).hash();
    };
    h.label_names = {"a", "b"};
    const std::string labelled = hash_of("a.h5", h, {0, 1, 0});
    CHECK(hash_of("b.h5", h, {0, 1, 0}) == labelled);
    CHECK(hash_of("c.h5", h, {0, 0, 0}) != labelled);
    h.label_names = {"a", "c"};
    CHECK(hash_of("d.h5", h, {0, 1, 0}) != labelled);
    // As the program of before labels had it.
    CHECK(hash_of("e.h5", header(), {0, 0, 0}) == "3465ce38dfe6abab");
    world.barrier();
}

TEST_CASE("the hash tells which of several sources a tile is of, and their names") {
    const auto world = Communicator::world();
    const test::SharedFolder folder(world, "store-sources");
    StoreHeader h = header();
    const auto hash_of = [&](const char* name, const std::vector<int>& sources) {
        return store_of(world, folder.path() / name, h, sources).hash();
    };
    h.sources = {{"a town", ""}, {"b town", ""}};
    const std::string both = hash_of("a.h5", {0, 1, 0});
    CHECK(hash_of("b.h5", {0, 1, 0}) == both);
    CHECK(hash_of("c.h5", {1, 0, 1}) != both);
    h.sources = {{"b town", ""}, {"a town", ""}};
    CHECK(hash_of("d.h5", {0, 1, 0}) != both);
    CHECK(hash_of("e.h5", {1, 0, 1}) != both);
    h.sources = {{"another name", "of one source"}};
    CHECK(hash_of("f.h5", {0, 0, 0}) == "3465ce38dfe6abab");
    world.barrier();
}

TEST_CASE("labels that no store has are refused when they are written, and leave nothing") {
    const auto world = Communicator::world();
    const test::SharedFolder folder(world, "store-labels-refused");
    StoreHeader h = image_header();
    const auto said = [&] {
        try {
            write_images(world, folder.path() / "t.h5", 8, h);
        } catch (const AgreedError& e) {
            return std::string(e.what());
        }
        return std::string("written");
    };
    h.label_names = {"a", "b"};
    CHECK_THAT(said(), Contains("has label 2 of 2 classes") && Contains("Hint: "));
    h.label_names = {"a", "b", "a"};
    CHECK_THAT(said(), Contains("two classes are called 'a'") && Contains("Hint: "));
    h.label_names = {"a", "", "c"};
    CHECK_THAT(said(), Contains("or one has no name"));
    h.label_names.assign((1U << 16) + 1, "x");
    CHECK_THAT(said(), Contains("65537 classes cannot be stored") && Contains("65536"));
    world.barrier();
    CHECK(fs::is_empty(folder.path()));
}

TEST_CASE("images are no classes, and classes no images") {
    const auto world = Communicator::world();
    const test::SharedFolder folder(world, "store-content");
    write_images(world, folder.path() / "images.h5", 5);
    const TileStore images = TileStore::open(world, folder.path() / "images.h5");
    const TileStore classes = store_of(world, folder.path() / "classes.h5", header(), {0, 0});
    CHECK_NOTHROW(require_classes(classes));
    CHECK_THROWS_AS(require_classes(images), UsageError);
    CHECK_THROWS_WITH(require_classes(images),
                      Contains("images.h5\" holds 5 images") && Contains("Hint: civitas-prep"));
    CHECK_NOTHROW(require_coding(images, Coding::rgb));
    CHECK_NOTHROW(require_coding(classes, Coding::grey));
    CHECK_THROWS_WITH(
        require_coding(images, Coding::colour),
        Contains(
            "holds images, which have no coding colour. Hint: a net trained with --coding rgb"));
    CHECK_THROWS_WITH(require_coding(classes, Coding::rgb),
                      Contains("holds land classes, which have no coding rgb"));
    world.barrier();
}

TEST_CASE("the classes of tiles are their labels, or the maps they are from") {
    const auto world = Communicator::world();
    const test::SharedFolder folder(world, "store-labels-of");
    StoreHeader h = header();
    h.sources = {{"nord.gpkg", ""}, {"unused.gpkg", ""}, {"süd.gpkg", ""}};
    const TileStore towns = store_of(world, folder.path() / "towns.h5", h, {2, 0, 2, 0, 2});
    const Labels of_source = labels_of(towns, LabelSource::source);
    CHECK(of_source.names == std::vector<std::string>{"nord.gpkg", "süd.gpkg"});
    CHECK(of_source.of_tile == std::vector<std::uint16_t>{1, 0, 1, 0, 1});
    h.label_names = {"old", "new"};
    const TileStore stored = store_of(world, folder.path() / "stored.h5", h, {1, 0, 1, 1});
    const Labels of_store = labels_of(stored, LabelSource::stored);
    CHECK(lines_of_labels(stored) ==
          std::vector<std::string>{"label 0: old, 1 to train, 0 to test",
                                   "label 1: new, 2 to train, 1 to test"});
    CHECK(lines_of_labels(towns).empty());
    CHECK(of_store.names == h.label_names);
    CHECK(of_store.of_tile == std::vector<std::uint16_t>{1, 0, 1, 1});
    for (int i = 2; i < 103; ++i) h.label_names.push_back(std::to_string(i));
    const auto many = lines_of_labels(store_of(world, folder.path() / "many.h5", h, {1, 0, 1}));
    CHECK((many.size() == 101 && many.back() == "and 3 more labels"));
    world.barrier();
}

TEST_CASE("stores that no classifier can learn from are wrong use") {
    const auto world = Communicator::world();
    const test::SharedFolder folder(world, "store-labels-none");
    const auto said = [&](const StoreHeader& h, const std::vector<int>& v, LabelSource source) {
        const TileStore store = store_of(world, folder.path() / "t.h5", h, v);
        world.barrier();
        try {
            static_cast<void>(labels_of(store, source));
        } catch (const UsageError& e) {
            return std::string(e.what());
        }
        return std::string("labels");
    };
    CHECK_THAT(said(header(), {0, 0}, LabelSource::stored),
               Contains("t.h5\" has no labels. Hint: --labels source") && Contains("--images"));
    CHECK_THAT(said(header(), {0, 0}, LabelSource::source),
               Contains("one class alone, 'a town' (--labels source)") && Contains("Hint: "));
    StoreHeader h = header();
    h.label_names = {"single"};
    CHECK_THAT(said(h, {0, 0}, LabelSource::stored), Contains("one class alone, 'single'"));
    h.label_names = {"a", "b", "c", "d"};
    CHECK_THAT(said(h, {0, 2, 1}, LabelSource::stored),
               Contains("no training tile of 'b', 'd'. Hint: ") && Contains("--test-share"));
    world.barrier();
}
