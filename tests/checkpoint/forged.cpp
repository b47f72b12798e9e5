#include "checkpoint/seal.hpp"

#include "civitas/io/files.hpp"
#include "support/temporary.hpp"

#include <catch2/catch.hpp>

using namespace civitas;
namespace cp = civitas::checkpoint;
namespace fs = std::filesystem;

namespace {

// The description of a checkpoint of one array, each line of which may be another's idea.
struct Description {
    std::int64_t step = 1;
    std::string names = "/x\n";
    std::uint64_t sums = 1;
    std::uint64_t fingerprints = 1;
    hdf5::ElementType type = hdf5::ElementType::f32;
    hdf5::Extent shape = {4};
    bool step_is_text = false;
};

// A file as a save writes it, layout and seal included.
fs::path forge(const fs::path& folder, const Description& d) {
    const fs::path name = folder / "step-00000001.h5";
    auto file = hdf5::H5File::create(name);
    file.set_attribute("/", "format", std::string("civitas checkpoint 1"));
    file.set_attribute("/", "program", std::string("1"));
    if (d.step_is_text)
        file.set_attribute("/", "step", std::string("one"));
    else
        file.set_attribute("/", "step", d.step);
    file.set_attribute("/", "seed", std::string("18446744073709551615"));
    file.write_text("/config", "steps = 20\n");
    file.create_dataset({.name = "/x", .type = d.type, .shape = d.shape});
    file.write_text("/checksums/names", d.names);
    file.create_dataset(
        {.name = "/checksums/arrays", .type = hdf5::ElementType::u64, .shape = {d.sums}});
    file.create_dataset({.name = "/checksums/fingerprint",
                         .type = hdf5::ElementType::u64,
                         .shape = {d.fingerprints}});
    file.close();
    cp::add_seal(name, fs::file_size(name), {});
    return name;
}

}  // namespace

TEST_CASE("a file of the first format reads, to the last digit of its seed") {
    const test::TemporaryFolder folder("forged");
    const auto file = forge(folder.path(), {});
    CHECK(cp::is_sealed(file));
    const auto contents = cp::read_contents(file);
    CHECK(contents.header.step == StepIndex{1});
    CHECK(contents.header.facts.at("seed") == "18446744073709551615");
    REQUIRE(contents.arrays.size() == 1);
    CHECK(contents.arrays[0].name == "/x");
    CHECK(contents.arrays[0].shape == std::vector<std::int64_t>{4});
}

TEST_CASE("a description that cannot be true is refused with the file's name") {
    const test::TemporaryFolder folder("forged");
    const auto refused = [&](const Description& d, const std::string& words) {
        CHECK_THROWS_WITH(cp::read_contents(forge(folder.path(), d)),
                          Catch::Contains("step-00000001.h5\" is not a checkpoint as this program "
                                          "writes them: ") &&
                              Catch::Contains(words) &&
                              Catch::Contains("Hint: use an older checkpoint"));
    };
    refused({.step = -1}, "its step is negative");
    refused({.names = "/x\n/y\n", .sums = 2}, "/y: there is no such dataset");
    refused({.sums = 3}, "it lists 1 arrays and 3 checksums");
    refused({.names = "", .sums = 1}, "it lists 0 arrays and 1 checksums");
    refused({.names = "/x\n/x\n", .sums = 2}, "its list of arrays is not in order");
    refused({.fingerprints = 0}, "it has 0 fingerprints");
    refused({.type = hdf5::ElementType::i32}, "array /x is neither of fp32 nor of fp64");
    refused({.step_is_text = true}, "'step' is not a whole number");
    refused({.names = "/\x1b[2J\n"}, "/?[2J: there is no such dataset");
}

TEST_CASE("what has no seal is not taken for a checkpoint") {
    const test::TemporaryFolder folder("forged");
    const auto file = forge(folder.path(), {});
    fs::resize_file(file, fs::file_size(file) - 8);
    CHECK(!cp::is_sealed(file));
    CHECK(!cp::is_sealed(folder.path()));
    CHECK(!cp::is_sealed(folder.path() / "missing"));
}
