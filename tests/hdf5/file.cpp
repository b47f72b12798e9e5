#include "civitas/base/unreadable.hpp"
#include "civitas/hdf5/hdf5.hpp"
#include "civitas/io/files.hpp"

#include "support/agree.hpp"
#include "support/file_size_limit.hpp"
#include "support/open_file_limit.hpp"
#include "support/shared_folder.hpp"

#include <cstdlib>
#include <fstream>
#include <numeric>

using namespace civitas;
using Catch::Matchers::Contains;
using comm::Communicator;
using hdf5::ElementType;
using hdf5::H5File;

namespace {

constexpr std::int64_t columns = 5;

/// Rank r of a group has r * 3 rows: rank 0 has none.
Range rows_of(int rank) {
    std::int64_t begin = 0;
    for (int r = 0; r < rank; ++r) begin += r * 3;
    return {begin, rank * 3};
}

std::vector<float> values_of(Range rows) {
    std::vector<float> values(static_cast<std::size_t>(rows.count * columns));
    std::iota(values.begin(), values.end(), static_cast<float>(rows.begin * columns));
    return values;
}

void write_by_all(const Communicator& ranks, const std::filesystem::path& file,
                  const hdf5::Extent& chunk) {
    const auto total = static_cast<std::uint64_t>(rows_of(ranks.size()).begin) + 2;
    H5File h5 = H5File::create(file, ranks);
    h5.create_dataset({"/a/deep/table", ElementType::f32, {total, columns}, chunk});
    const bool last = index(ranks.rank()) == ranks.size() - 1;
    Range mine = rows_of(index(ranks.rank()));
    if (last) mine.count += 2;
    h5.write_rows<float>("/a/deep/table", mine, values_of(mine));
    h5.write_text("/words", "grün");
    h5.write_text("/nothing", "");
    h5.set_attribute("/", "format", std::string("test"));
    h5.set_attribute("/a/deep/table", "count", static_cast<std::int64_t>(total));
    h5.set_attribute("/", "share", 0.1);
    h5.close();
}

bool reads_back(const std::filesystem::path& file, std::int64_t total) {
    const H5File h5 = H5File::open(file);
    return h5.read_all<float>("/a/deep/table") == values_of({0, total}) &&
           h5.read_text("/words") == "grün" && h5.read_text("/nothing").empty() &&
           h5.text_attribute("/", "format") == "test" &&
           h5.integer_attribute("/a/deep/table", "count") == total &&
           h5.number_attribute("/", "share") == 0.1;
}

std::string bytes_of(const std::filesystem::path& file) { return io::read_text_file(file); }

}  // namespace

TEST_CASE("what all ranks wrote each rank reads, contiguous and chunked, idle ranks too") {
    const auto world = Communicator::world();
    const test::SharedFolder folder(world, "h5-all");
    for (const hdf5::Extent& chunk : {hdf5::Extent{}, hdf5::Extent{1, columns}}) {
        const auto file = folder.path() / ("by-all-" + std::to_string(chunk.size()) + ".h5");
        write_by_all(world, file, chunk);
        REQUIRE_ALL(world, reads_back(file, rows_of(world.size()).begin + 2));
    }
}

TEST_CASE("a file of one process lists what it holds") {
    const auto world = Communicator::world();
    const test::TemporaryFolder folder("h5-one" + std::to_string(index(world.rank())));
    const auto file = folder.path() / "one.h5";
    {
        H5File h5 = H5File::create(file);
        h5.create_dataset({"/b/bytes", ElementType::u8, {6, 2}});
        h5.create_dataset({"/b/empty", ElementType::f64, {0, 2}});
        h5.create_dataset({"/c", ElementType::u64, {3}});
        h5.write_rows<std::uint8_t>("/b/bytes", {2, 1}, std::vector<std::uint8_t>{7, 9});
        h5.set_attribute("/", "z", std::int64_t{1});
        h5.set_attribute("/", "z", std::string("twice"));
        h5.set_attribute("/", "a", 2.0);
        h5.close();
    }
    const H5File h5 = H5File::open(file);
    CHECK(h5.children("/") == std::vector<std::string>{"b", "c"});
    CHECK(h5.children("/b") == std::vector<std::string>{"bytes", "empty"});
    CHECK(h5.has("/b/empty"));
    CHECK(h5.has("/"));
    CHECK_FALSE(h5.has("/b/none"));
    CHECK_FALSE(h5.has("/none/none"));
    CHECK(h5.shape("/b/bytes") == hdf5::Extent{6, 2});
    CHECK(h5.type("/c") == ElementType::u64);
    CHECK(h5.attributes("/") == std::vector<std::string>{"a", "z"});
    CHECK(h5.text_attribute("/", "z") == "twice");
    CHECK(h5.is_text_attribute("/", "z"));
    CHECK_FALSE(h5.is_text_attribute("/", "a"));
    CHECK_FALSE(h5.has_attribute("/", "b"));
    CHECK(h5.read_all<double>("/b/empty").empty());
    CHECK(h5.read_rows<std::uint8_t>("/b/bytes", {2, 1}) == std::vector<std::uint8_t>{7, 9});
    CHECK_THROWS_WITH(h5.offset("/b/empty"), Contains("has no bytes of its own"));
}

TEST_CASE("contiguous data lies at its offset, on a boundary of 4 KiB") {
    const auto world = Communicator::world();
    const test::SharedFolder folder(world, "h5-offset");
    const auto file = folder.path() / "offset.h5";
    const std::vector<double> values(1000, 2.5);
    H5File h5 = H5File::create(file, world);
    h5.create_dataset({"/first", ElementType::f64, {1000}});
    h5.create_dataset({"/second", ElementType::f64, {1000}});
    const std::uint64_t offset = h5.offset("/second");
    h5.close();
    CHECK(offset % 4096 == 0);
    if (world.is_root())
        io::RawFile::open_to_write(file).write_at(offset, std::as_bytes(std::span(values)));
    world.barrier();
    CHECK(H5File::open(file).read_all<double>("/second") == values);
}

TEST_CASE("chunks of whole rows are listed in row order") {
    const auto world = Communicator::world();
    const test::TemporaryFolder folder("h5-chunks" + std::to_string(index(world.rank())));
    const auto file = folder.path() / "chunks.h5";
    H5File h5 = H5File::create(file);
    h5.create_dataset({"/raw", ElementType::u8, {3, 4}, {1, 4}});
    h5.create_dataset({"/halves", ElementType::u8, {3, 4}, {1, 2}});
    h5.create_dataset({"/flat", ElementType::u8, {3, 4}});
    h5.create_dataset({"/holes", ElementType::u8, {3, 4}, {1, 4}, 4});
    const std::vector<std::uint8_t> values{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    h5.write_rows<std::uint8_t>("/raw", {0, 3}, values);
    h5.write_rows<std::uint8_t>("/holes", {0, 1}, std::vector<std::uint8_t>(4, 1));
    const auto chunks = h5.row_chunks("/raw");
    CHECK_THROWS_WITH(h5.row_chunks("/halves"), Contains("chunks are not whole rows"));
    CHECK_THROWS_WITH(h5.row_chunks("/flat"), Contains("chunks are not whole rows"));
    CHECK_THROWS_WITH(h5.row_chunks("/holes"), Contains("row 1 was never written"));
    h5.close();
    REQUIRE(chunks.size() == 3);
    const std::string bytes = bytes_of(file);
    for (std::size_t row = 0; row < 3; ++row) {
        REQUIRE(chunks[row].bytes == 4);
        for (std::size_t i = 0; i < 4; ++i)
            CHECK(static_cast<std::uint8_t>(bytes.at(chunks[row].offset + i)) ==
                  values[row * 4 + i]);
    }
}

TEST_CASE("errors say what is wrong with a file") {
    const auto world = Communicator::world();
    const test::TemporaryFolder folder("h5-bad" + std::to_string(index(world.rank())));
    const auto file = folder.path() / "good.h5";
    {
        H5File h5 = H5File::create(file);
        h5.create_dataset({"/data", ElementType::f64, {1000}});
        h5.set_attribute("/", "words", std::string("x"));
        h5.close();
    }
    CHECK_THROWS_WITH(H5File::open(folder.path() / "none.h5"), Contains("there is no file"));
    CHECK_THROWS_WITH(H5File::open(folder.path()), Contains("is not a file"));
    std::ofstream(folder.path() / "text.h5") << "not at all";
    CHECK_THROWS_WITH(H5File::open(folder.path() / "text.h5"),
                      Contains("is not an HDF5 file (10 bytes)"));
    const std::string whole = bytes_of(file);
    std::ofstream(folder.path() / "cut.h5", std::ios::binary) << whole.substr(0, whole.size() / 2);
    CHECK_THROWS_WITH(H5File::open(folder.path() / "cut.h5"),
                      Contains("truncated file: eof = ") && Contains("Hint: "));
    CHECK_THROWS_WITH(H5File::create(folder.path() / "no" / "folder.h5"),
                      Contains("there is no folder") && Contains("Hint: "));
    const H5File h5 = H5File::open(file);
    CHECK_THROWS_WITH(h5.shape("/none"), Contains("/none: there is no such dataset"));
    CHECK_THROWS_WITH(h5.read_all<float>("/data"), Contains("elements are f64, not f32"));
    CHECK_THROWS_WITH(h5.read_rows<double>("/data", {990, 20}),
                      Contains("rows 990 to 1010 of a dataset of 1000"));
    CHECK_THROWS_WITH(h5.read_text("/data"), Contains("is not one text"));
    CHECK_THROWS_WITH(h5.number_attribute("/", "words"), Contains("is not a number"));
    CHECK_THROWS_WITH(h5.text_attribute("/", "none"), Contains("no attribute 'none'"));
}

TEST_CASE("a file that cannot be created fails on all ranks") {
    const auto world = Communicator::world();
    REQUIRE_THROWS_WITH(H5File::create("/nowhere/at/all.h5", world), Contains("cannot write"));
}

TEST_CASE("a file of one process is there when closed, the same bytes each time, or not at all") {
    const auto world = Communicator::world();
    const test::TemporaryFolder folder("h5-whole" + std::to_string(index(world.rank())));
    const auto write = [&](const char* name) {
        H5File h5 = H5File::create(folder.path() / name);
        h5.create_dataset({"/g/squares", ElementType::u8, {300, 64, 64}, {1, 64, 64}, 4});
        std::vector<std::uint8_t> values(std::size_t{300} * 64 * 64);
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = static_cast<std::uint8_t>(i * i % 251);
        h5.write_rows<std::uint8_t>("/g/squares", {0, 300}, values);
        h5.set_attribute("/", "complete", std::int64_t{1});
        return h5;
    };
    { const H5File dropped = write("dropped.h5"); }
    CHECK(std::filesystem::is_empty(folder.path()));
    write("a.h5").close();
    const std::string first = bytes_of(folder.path() / "a.h5");
    sleep(1);  // the resolution of the times that HDF5 would keep
    write("b.h5").close();
    CHECK(bytes_of(folder.path() / "b.h5") == first);
    CHECK(H5File::open(folder.path() / "b.h5").shape("/g/squares") == hdf5::Extent{300, 64, 64});
}

TEST_CASE("a file that HDF5 is not let read is no damaged one") {
    const auto world = Communicator::world();
    const test::TemporaryFolder folder("h5-refused" + std::to_string(index(world.rank())));
    const auto file = folder.path() / "whole.h5";
    H5File::create(file).close();
    CHECK_NOTHROW(H5File::open(file));
    const auto open_with = [&](int spare) {
        const test::OpenFileLimit few(spare);
        static_cast<void>(H5File::open(file).attributes("/"));
    };
    CHECK_THROWS_AS(open_with(0), UnreadableError);
    CHECK_THROWS_WITH(open_with(0), Contains("Too many open files"));
    CHECK_NOTHROW(open_with(1));  // one at a time
}

// A limit on the size of files stands in for a full disk: the same errors, without a mount.
TEST_CASE("a full disk is an error of the call that meets it, and nothing is left") {
    const auto world = Communicator::world();
    const test::TemporaryFolder folder("h5-full" + std::to_string(index(world.rank())));
    H5File h5 = H5File::create(folder.path() / "full.h5");
    h5.create_dataset({"/zeros", ElementType::f64, {100'000}});
    const test::FileSizeLimit small(9000);
    CHECK_THROWS_WITH(h5.write_rows<double>("/zeros", {0, 100'000}, std::vector<double>(100'000)),
                      Contains("File too large") && Contains("Hint: free"));
    CHECK_THROWS_WITH(h5.close(), Contains("File too large"));
    { const H5File closed = std::move(h5); }
    CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("a file made in place ends where HDF5 ends it, whatever was there and set aside") {
    const auto world = Communicator::world();
    const test::TemporaryFolder folder("h5-place" + std::to_string(index(world.rank())));
    const auto write = [&](const char* name, std::uint64_t bytes) {
        H5File h5 = H5File::create(folder.path() / name, Communicator::self(), bytes);
        h5.create_dataset({"/empty", ElementType::f64, {1000}});
        h5.write_text("/words", "few");
        h5.close();
        return bytes_of(folder.path() / name);
    };
    std::ofstream(folder.path() / "old.h5") << std::string(100'000, 'x');
    const std::string little = write("new.h5", 1);
    CHECK(little.size() < 20'000);
    CHECK((write("old.h5", 1 << 20) == little));
}

// HDF5 itself crashes in MPI_Finalize when it could not write: this program must end well, too.
TEST_CASE("a disk that fills up while a file is made in place is an error of what meets it") {
    const auto world = Communicator::world();
    const test::TemporaryFolder folder("h5-in-place" + std::to_string(index(world.rank())));
    const auto file = folder.path() / "full.h5";
    for (const bool closed : {true, false}) {
        H5File h5 = H5File::create(file, Communicator::self());
        const test::FileSizeLimit small(0);
        for (const char* name : {"/a", "/b", "/c"})
            h5.create_dataset({name, ElementType::f64, {10'000}});
        if (closed) CHECK_THROWS_WITH(h5.close(), Contains("File too large"));
    }
}

TEST_CASE("no room on the root's disk is everybody's error") {
    const auto world = Communicator::world();
    const test::SharedFolder folder(world, "h5-no-room");
    const test::FileSizeLimit small(world.is_root() ? 9000 : RLIM_INFINITY);
    CHECK_THROWS_WITH(H5File::create(folder.path() / "full.h5", world), Contains("no room for"));
}
