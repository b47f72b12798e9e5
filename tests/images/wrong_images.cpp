// Every way to go wrong with images ends in a message, on all ranks together, and leaves nothing.
#include "made_images.hpp"

using namespace civitas;
using namespace civitas::images;
using namespace civitas::images::test_images;
using Catch::Matchers::Contains;

TEST_CASE("folders that hold no images with classes are refused") {
    const auto world = Communicator::world();
    const test::SharedFolder folder(world, "images-wrong");
    const auto& in = folder.path();
    const auto said = [&](const char* name) {
        const std::string message =
            refusal_of(world, settings_of({"--images", in / name, "--output", in / "t.h5"}));
        CHECK_FALSE(fs::exists(in / "t.h5"));
        world.barrier();
        return message;
    };
    by_root(world, [&] {
        write_image(in / "bare" / "a.png", {});
        write_image(in / "single" / "cat" / "a.png", {});
        write_image(in / "hollow" / "cat" / "a.png", {});
        write_text(in / "hollow" / "dog" / "notes.txt", "none");
        write_text(in / "unread" / "a" / "a.png", "text");
        write_text(in / "unread" / "b" / "b.jpg", "text");
        write_text(in / "file", "text");
        for (const char* part : {"train", "test", "more"})
            write_image(in / "mixed" / part / "cat" / "a.png", {});
    });
    CHECK_THAT(said("nowhere"), Contains("there is no folder") && Contains("Hint: FOLDER/cat"));
    CHECK_THAT(said("file"), Contains("is no folder") && Contains("Hint: "));
    CHECK_THAT(said("bare"), Contains("bare\" holds no folder of a class. Hint: "));
    CHECK_THAT(said("single"), Contains("has one class alone, 'cat': a classifier needs two"));
    CHECK_THAT(said("mixed"), Contains("mixed\" has train and test, which are a split, and beside "
                                       "them 'more'. Hint: move it elsewhere"));
    CHECK_THAT(said("hollow"), Contains("the class 'dog' of") &&
                                   Contains("holds no PNG or JPEG file. Hint: remove"));
    CHECK_THAT(said("unread"), Contains("none of the 2 images in") && Contains("Hint: gdalinfo"));
}

TEST_CASE("outputs that cannot be written are refused before images are read") {
    const auto world = Communicator::world();
    const test::SharedFolder folder(world, "images-outputs");
    const auto& in = folder.path();
    by_root(world, [&] {
        write_image(in / "i" / "a" / "1.png", {});
        write_image(in / "i" / "b" / "1.png", {});
    });
    const auto said = [&](const fs::path& output) {
        return refusal_of(world, settings_of({"--images", in / "i", "--output", output}));
    };
    CHECK_THAT(said(in / "none" / "t.h5"), Contains("there is no folder"));
    CHECK_THAT(said(in / "i" / "a" / "1.png"), Contains("1.png") && Contains("Hint: "));
    CHECK(said(in / "t.h5") == "read");
}

TEST_CASE("a folder that is another on one rank is no folder of damaged images") {
    const auto world = Communicator::world();
    if (world.size() == 1) return;
    const test::SharedFolder folder(world, "images-else");
    const test::TemporaryFolder own("images-own");  // each rank its own, in the same place of it
    const fs::path before = fs::current_path();
    for (const char* name : {"a", "b"})
        write_image(own.path() / "i" / name / "1.png",
                    {.width = world.is_root() ? 16 : 40, .height = 16});
    fs::current_path(own.path());
    const std::string said =
        refusal_of(world, settings_of({"--images", "i", "--output", folder.path() / "t.h5"}));
    fs::current_path(before);
    CHECK_THAT(said, Contains("rank 1") && Contains("bytes where the folder was listed") &&
                         Contains("Hint: keep the folder on a disk that all nodes share"));
}

TEST_CASE("options about maps go not with images") {
    const auto said = [](std::vector<std::string> words) {
        words.insert(words.end(), {"--output", "t.h5"});
        try {
            static_cast<void>(settings_of(words));
        } catch (const UsageError& e) {
            return std::string(e.what());
        }
        return std::string("read");
    };
    CHECK(said({"--images", "f"}) == "read");
    CHECK(said({"--cifar", "a.bin", "b.bin"}) == "read");
    CHECK(settings_of({"--cifar", "a.bin", "b.bin", "--output", "t.h5"}).cifar ==
          std::vector<std::string>{"a.bin", "b.bin"});
    CHECK_THAT(said({"--images", "f", "--min-road", "0.1"}),
               Contains("--min-road is about maps, and --images reads none. Hint: leave out"));
    CHECK_THAT(said({"--cifar", "f", "--crs", "EPSG:2056"}),
               Contains("--crs is about maps, and --cifar reads none"));
    CHECK_THAT(said({"--images", "f", "--sample", "1"}), Contains("--sample is about maps"));
    CHECK_THAT(said({"--images", "f", "map.gpkg"}),
               Contains("--images f is read alone, no INPUT goes with it. Hint: "));
    CHECK_THAT(said({"--images", "f", "--cifar", "a.bin"}), Contains("no --cifar goes with it"));
    CHECK_THAT(said({"--cifar", "f", "--test-share", "0.5"}),
               Contains("--test-share goes not with --cifar") && Contains("Hint: "));
    CHECK_THAT(said({"--cifar", "f", "--pixels", "64"}),
               Contains("--pixels 64 goes not with --cifar, whose images have 32 pixels a side"));
    CHECK_THAT(said({"--images", "f", "--pixels", "4"}), Contains("--pixels 4 is outside 8..4096"));
}
