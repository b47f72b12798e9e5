// Files laid out as the page of CIFAR says, made here.
#include "made_images.hpp"

#include "civitas/base/hash.hpp"

using namespace civitas;
using namespace civitas::images;
using namespace civitas::images::test_images;
using Catch::Matchers::Contains;
using data::Split;

namespace {

constexpr int plane = 1024;

/// The byte of an image at a place.
char byte_at(int image, int channel, int pixel) {
    return static_cast<char>(image * 11 + channel * 50 + pixel * (channel + 1));
}

std::string record(int image, const std::string& labels) {
    std::string bytes = labels;
    for (int c = 0; c < 3; ++c)
        for (int p = 0; p < plane; ++p) bytes += byte_at(image, c, p);
    return bytes;
}

/// Images [first, first + labels) whose labels are given as letters from 'a'.
std::string batch(int first, const std::string& labels, bool coarse = false) {
    std::string bytes;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        std::string before = coarse ? std::string(1, '\7') : "";
        before += static_cast<char>(labels[i] - 'a');
        bytes += record(first + static_cast<int>(i), before);
    }
    return bytes;
}

void write_ten(const fs::path& folder) {
    write_text(folder / "batches.meta.txt", "airplane\nautomobile\nbird\n\n");
    write_text(folder / "data_batch_1.bin", batch(0, "abcab"));
    write_text(folder / "data_batch_2.bin", batch(5, "ccc"));
    write_text(folder / "test_batch.bin", batch(8, "ba"));
}

bool holds(const data::TileStore& store, std::int64_t tile) {
    const auto bytes = bytes_of(store, tile);
    for (int p = 0; p < plane; ++p)
        for (int c = 0; c < 3; ++c)
            if (static_cast<char>(bytes[static_cast<std::size_t>(3 * p + c)]) !=
                byte_at(static_cast<int>(tile), c, p))
                return false;
    return true;
}

}  // namespace

TEST_CASE("CIFAR-10's files become images with their labels and split") {
    const auto world = Communicator::world();
    const test::SharedFolder folder(world, "cifar-ten");
    const auto& in = folder.path();
    by_root(world, [&] { write_ten(in); });
    const auto store =
        store_of(world, settings_of({"--cifar", in / "test_batch.bin", in / "data_batch_2.bin",
                                     in / "data_batch_1.bin", "--output", in / "t.h5"}));
    CHECK(store.header().pixels == 32);
    CHECK(store.header().label_names == std::vector<std::string>{"airplane", "automobile", "bird"});
    REQUIRE_ALL(world, store.size() == 10);
    const std::vector<int> labels{0, 1, 2, 0, 1, 2, 2, 2, 1, 0};
    for (std::int64_t i = 0; i < 10; ++i) {
        const auto& r = store.records()[static_cast<std::size_t>(i)];
        CHECK(holds(store, i));
        CHECK(r.label == labels[static_cast<std::size_t>(i)]);
        CHECK(r.split == (i < 8 ? Split::train : Split::test));
        CHECK(r.source == (i < 5 ? 0 : i < 8 ? 1 : 2));
    }
    CHECK(store.header().sources[1].name == "data_batch_2.bin");
    CHECK(store.header().sources[1].hash == hash_file(in / "data_batch_2.bin"));
}

TEST_CASE("CIFAR-100's files have two labels, of which the fine one counts") {
    const auto world = Communicator::world();
    const test::SharedFolder folder(world, "cifar-hundred");
    const auto& in = folder.path();
    by_root(world, [&] {
        write_text(in / "fine_label_names.txt", "apple\r\nbaby\r\nbear\r\n");
        write_text(in / "coarse_label_names.txt", "fruit\n");
        write_text(in / "train.bin", batch(1, "cab", true));
        write_text(in / "test.bin", batch(0, "b", true));
    });
    const auto store = store_of(world, settings_of({"--cifar", in / "train.bin", "--cifar",
                                                    in / "test.bin", "--output", in / "t.h5"}));
    CHECK(store.header().label_names == std::vector<std::string>{"apple", "baby", "bear"});
    const std::vector<int> labels{1, 2, 0, 1};
    REQUIRE_ALL(world, store.size() == 4);
    for (std::int64_t i = 0; i < 4; ++i) {
        CHECK(holds(store, i));
        CHECK(store.records()[static_cast<std::size_t>(i)].label ==
              labels[static_cast<std::size_t>(i)]);
    }
    CHECK(store.rows(Split::test) == std::vector{TileIndex{0}});
}

TEST_CASE("any number of ranks makes the same file of CIFAR's") {
    const auto world = Communicator::world();
    const test::SharedFolder folder(world, "cifar-ranks");
    const auto& in = folder.path();
    by_root(world, [&] { write_ten(in); });
    const auto settings = settings_of({"--cifar", in / "data_batch_1.bin", in / "test_batch.bin",
                                       "--output", in / "t.h5", "--overwrite"});
    static_cast<void>(store_of(world, settings));
    by_root(world, [&] {
        const std::string together = io::read_text_file(in / "t.h5");
        static_cast<void>(store_of(Communicator::self(), settings));
        CHECK((io::read_text_file(in / "t.h5") == together));
    });
}

TEST_CASE("files of CIFAR that are not whole are named, and leave nothing") {
    const auto world = Communicator::world();
    const test::SharedFolder folder(world, "cifar-wrong");
    const auto& in = folder.path();
    by_root(world, [&] { write_ten(in); });
    const auto said = [&](const std::vector<std::string>& files) {
        std::vector<std::string> words{"--output", in / "t.h5", "--cifar"};
        words.insert(words.end(), files.begin(), files.end());
        const std::string message = refusal_of(world, settings_of(words));
        CHECK_FALSE(fs::exists(in / "t.h5"));
        world.barrier();
        return message;
    };
    by_root(world, [&] {
        write_text(in / "cut.bin", batch(0, "ab").substr(0, 5000));
        write_text(in / "empty.bin", "");
        write_text(in / "label.bin", batch(0, "abd"));
        write_text(in / "alone" / "data_batch_1.bin", batch(0, "ab"));
        write_text(in / "one" / "batches.meta.txt", "airplane\n");
        write_text(in / "one" / "data_batch_1.bin", batch(0, "aa"));
        write_text(in / "other" / "batches.meta.txt", "cat\ndog\n");
        write_text(in / "other" / "data_batch_1.bin", batch(0, "ab"));
    });
    CHECK_THAT(said({in / "cut.bin"}),
               Contains("cut.bin\" has 5000 bytes: 1 images of CIFAR-10, of 3073 bytes each, and "
                        "1927 bytes more. Hint: "));
    CHECK_THAT(said({in / "empty.bin"}), Contains("empty.bin\" has 0 bytes"));
    CHECK_THAT(said({in / "label.bin"}),
               Contains("label.bin\": image 2 of 3 has label 3, of 3 classes. Hint: "));
    CHECK_THAT(said({in / "alone" / "data_batch_1.bin"}),
               Contains("neither batches.meta.txt (CIFAR-10)") && Contains("Hint: unpack"));
    CHECK_THAT(said({in / "one" / "data_batch_1.bin"}), Contains("names 1 classes. Hint: "));
    CHECK_THAT(said({in / "data_batch_1.bin", in / "other" / "data_batch_1.bin"}),
               Contains("are of other classes. Hint: one store for each"));
    CHECK_THAT(said({in / "none.bin"}), Contains("there is no file") && Contains("Hint: "));
}
