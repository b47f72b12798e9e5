// Folders of images, made by GDAL, become stores of the bytes that GDAL reads.
#include "made_images.hpp"
#include "preprocess/images/listing.hpp"

using namespace civitas;
using namespace civitas::images;
using namespace civitas::images::test_images;
using Catch::Matchers::Contains;
using data::Split;

namespace {

/// Every kind of image that is read, and some that are not.
void write_kinds(const fs::path& folder) {
    write_image(folder / "dog" / "alpha.png", {16, 16, 4});
    write_image(folder / "dog" / "grey-alpha.png", {16, 16, 2});
    write_image(folder / "cat" / "colour.png", {16, 16, 3});
    write_image(folder / "cat" / "colour.jpg", {16, 16, 3, GDT_Byte, false, 5}, "JPEG");
    write_image(folder / "cat" / "grey.png", {16, 16, 1});
    write_image(folder / "cat" / "sub" / "grey.JPEG", {16, 16, 1}, "JPEG");
    write_image(folder / "eel" / "wide.png", {96, 32, 3});
    write_image(folder / "eel" / "high.jpg", {48, 80, 3}, "JPEG");
    write_image(folder / ".hidden" / "a.png", {});
    write_image(folder / "eel" / ".a.png", {});
    write_image(folder / "eel" / ".thumbs" / "a.png", {});
}

void write_damaged(const fs::path& folder) {
    write_image(folder / "cat" / "deep.png", {16, 16, 1, GDT_UInt16});
    write_image(folder / "cat" / "cut.png", {64, 64, 3});
    fs::resize_file(folder / "cat" / "cut.png", fs::file_size(folder / "cat" / "cut.png") / 2);
    write_image(folder / "dog" / "cut.jpg", {64, 64, 3}, "JPEG");
    fs::resize_file(folder / "dog" / "cut.jpg", fs::file_size(folder / "dog" / "cut.jpg") / 2);
    write_text(folder / "dog" / "words.jpg", "no image");
    write_text(folder / "dog" / "notes.txt", "about dogs");
    write_text(folder / "notes.txt", "about animals");
    write_text(folder / "eel.png", "of no class");
    write_text(folder / ".notes.txt", "about nobody");
    fs::create_directory_symlink(folder / "cat", folder / "dog" / "cats");
    fs::create_directory_symlink(folder / "cat", folder / "dog" / ".cats");
}

}  // namespace

TEST_CASE("a store of images holds the bytes that GDAL reads") {
    const auto world = Communicator::world();
    const test::SharedFolder folder(world, "images-kinds");
    const fs::path images = folder.path() / "images";
    by_root(world, [&] {
        write_kinds(images);
        write_damaged(images);
    });
    const auto store = store_of(world, settings_of({"--images", images, "--pixels", "16",
                                                    "--output", folder.path() / "t.h5"}));
    CHECK(store.header().content == data::Content::rgb);
    CHECK(store.header().pixels == 16);
    CHECK(store.header().label_names == std::vector<std::string>{"cat", "dog", "eel"});
    const std::vector<std::string> names{
        "cat/colour.jpg", "cat/colour.png",     "cat/grey.png", "cat/sub/grey.JPEG",
        "dog/alpha.png",  "dog/grey-alpha.png", "eel/high.jpg", "eel/wide.png"};
    const std::vector<int> labels{0, 0, 0, 0, 1, 1, 2, 2};
    REQUIRE_ALL(world, store.size() == std::ssize(names));
    for (std::size_t i = 0; i < names.size(); ++i) {
        INFO(names[i]);
        CHECK(bytes_of(store, static_cast<std::int64_t>(i)) == gdals_own(images / names[i], 16));
        CHECK(store.records()[i].label == labels[i]);
    }
    CHECK(store.header().dropped ==
          std::map<std::string, std::int64_t>{{"images that cannot be read", 3},
                                              {"images of more than 8 bits a channel", 1},
                                              {"images in no folder of a class", 1},
                                              {"links to folders within classes", 1},
                                              {"files that are neither PNG nor JPEG by name", 2}});
}

TEST_CASE("a palette becomes its colours") {
    const auto world = Communicator::world();
    const test::SharedFolder folder(world, "images-palette");
    const MadeImage made{.bands = 1, .palette = true};
    by_root(world, [&] {
        write_image(folder.path() / "i" / "a" / "p.png", made);
        write_image(folder.path() / "i" / "b" / "p.png", {});
    });
    const auto store = store_of(world, settings_of({"--images", folder.path() / "i", "--pixels",
                                                    "16", "--output", folder.path() / "t.h5"}));
    std::vector<std::uint8_t> colours;
    for (const unsigned v : band_of(made, 1)) {
        colours.push_back(static_cast<std::uint8_t>(255 - v));
        colours.push_back(static_cast<std::uint8_t>(v / 2));
        colours.push_back(static_cast<std::uint8_t>(v * 7 % 256));
    }
    CHECK(bytes_of(store, 0) == colours);
}

TEST_CASE("grey values of few bits reach from black to white") {
    const auto world = Communicator::world();
    for (const auto& [bits, step] : {std::pair{1, 255}, {2, 85}, {4, 17}}) {
        const test::SharedFolder folder(world, "images-bits");
        const MadeImage made{.bands = 1, .bits = bits};
        by_root(world, [&] {
            write_image(folder.path() / "i" / "a" / "p.png", made);
            write_image(folder.path() / "i" / "b" / "p.png", {});
        });
        const auto store = store_of(world, settings_of({"--images", folder.path() / "i", "--pixels",
                                                        "16", "--output", folder.path() / "t.h5"}));
        std::vector<std::uint8_t> greys;
        for (const int v : band_of(made, 1))
            greys.insert(greys.end(), 3, static_cast<std::uint8_t>(v * step));
        CHECK(bytes_of(store, 0) == greys);
    }
}

TEST_CASE("any number of ranks makes the same file") {
    const auto world = Communicator::world();
    const test::SharedFolder folder(world, "images-ranks");
    const fs::path images = folder.path() / "images", file = folder.path() / "t.h5";
    by_root(world, [&] {
        write_kinds(images);
        write_damaged(images);
        for (int i = 0; i < 30; ++i)
            write_image(images / "fox" / text(i, ".png"), {20, 20, 3, GDT_Byte, false, i});
    });
    const auto settings = settings_of({"--images", images, "--pixels", "16", "--preview",
                                       folder.path() / "t.png", "--output", file, "--overwrite"});
    static_cast<void>(store_of(world, settings));
    std::string together, sheet;
    by_root(world, [&] {
        together = io::read_text_file(file);
        sheet = io::read_text_file(folder.path() / "t.png");
        static_cast<void>(store_of(Communicator::self(), settings));
        CHECK((io::read_text_file(file) == together));
        CHECK((io::read_text_file(folder.path() / "t.png") == sheet));
    });
}

TEST_CASE("a class may be called train") {
    const test::TemporaryFolder folder("images-trains");
    for (const char* name : {"bus", "car", "train"})
        write_text(folder.path() / name / "night" / "1.png", "x");
    const auto list = list_images(folder.path(), 0);
    CHECK(list.classes == std::vector<std::string>{"bus", "car", "train"});
    CHECK(list.names.size() == 3);
}

TEST_CASE("a split without classes is no pair of classes") {
    const test::TemporaryFolder folder("images-unlabelled");
    for (const char* name : {"train", "valid"}) write_text(folder.path() / name / "1.png", "x");
    CHECK_THROWS_WITH(list_images(folder.path(), 0), Contains("holds no folder of a class"));
    for (const char* name : {"a", "b"})
        for (const char* part : {"train", "valid"})
            write_text(folder.path() / part / name / "1.png", "x");
    const auto list = list_images(folder.path(), 0);
    CHECK(list.classes == std::vector<std::string>{"a", "b"});
    CHECK(list.names.back() == "valid/b/1.png");
    CHECK(list.facts.back().split == Split::test);
}

TEST_CASE("an image is for tests by its name, whatever others there are") {
    const test::TemporaryFolder folder("images-split");
    for (int i = 0; i < 200; ++i) {
        write_text(folder.path() / "a" / text(i, ".png"), "x");
        write_text(folder.path() / "b" / text(i, ".png"), "x");
    }
    const auto test_names = [&](double share) {
        const ImageList list = list_images(folder.path(), share);
        std::vector<std::string> names;
        for (std::size_t i = 0; i < list.names.size(); ++i)
            if (list.facts[i].split == Split::test) names.push_back(list.names[i]);
        return names;
    };
    const auto quarter = test_names(0.25), half = test_names(0.5);
    CHECK((quarter.size() > 70 && quarter.size() < 130));
    CHECK((half.size() > 160 && half.size() < 240));
    CHECK(std::includes(half.begin(), half.end(), quarter.begin(), quarter.end()));
    CHECK(test_names(0).empty());
    write_text(folder.path() / "a" / "another.png", "x");
    auto more = test_names(0.25);
    std::erase(more, "a/another.png");
    CHECK(more == quarter);
}

TEST_CASE("folders train and test, or val, are the split") {
    const auto world = Communicator::world();
    for (const char* name : {"test", "val"}) {
        const test::SharedFolder folder(world, "images-train-test");
        const fs::path images = folder.path() / "images";
        by_root(world, [&] {
            write_image(images / "train" / "b" / "1.png", {});
            write_image(images / "train" / "a" / "1.png", {});
            write_image(images / "train" / "a" / "2.png", {});
            write_image(images / name / "b" / "1.png", {.seed = 3});
            write_image(images / name / "c" / "1.png", {});
        });
        const auto store =
            store_of(world, settings_of({"--images", images, "--output", folder.path() / "t.h5"}));
        CHECK(store.header().pixels == 64);
        CHECK(store.header().label_names == std::vector<std::string>{"a", "b", "c"});
        std::vector<int> labels, tests;
        for (const data::TileRecord& r : store.records())
            (r.split == Split::test ? tests : labels).push_back(r.label);
        CHECK(labels == std::vector<int>{0, 0, 1});
        CHECK(tests == std::vector<int>{1, 2});
    }
}

TEST_CASE("images for tests are in one folder") {
    const test::TemporaryFolder folder("images-two-tests");
    for (const char* part : {"train", "val", "test"})
        for (const char* name : {"a", "b"}) write_text(folder.path() / part / name / "1.png", "x");
    CHECK_THROWS_WITH(list_images(folder.path(), 0),
                      Contains("has test and val beside train: one alone can hold"));
}
