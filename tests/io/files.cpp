#include "civitas/io/files.hpp"
#include "civitas/base/error.hpp"

#include "support/temporary.hpp"

#include <sys/stat.h>
#include <catch2/catch.hpp>
#include <fstream>
#include <thread>

using namespace civitas;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

std::span<const std::byte> bytes(const std::string& words) {
    return std::as_bytes(std::span<const char>(words));
}

std::size_t files_in(const fs::path& folder) {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder), fs::directory_iterator{}));
}

}  // namespace

TEST_CASE("an atomic file appears whole or not at all, and replaces only when committed") {
    const test::TemporaryFolder folder("atomic");
    const fs::path file = folder.path() / "result.txt";
    io::write_text_file(file, "old");
    {
        io::AtomicFile abandoned(file);
        std::ofstream(abandoned.part()) << "half";
        CHECK(io::read_text_file(file) == "old");
    }
    CHECK(io::read_text_file(file) == "old");
    CHECK(files_in(folder.path()) == 1);
    io::AtomicFile first(file);
    std::ofstream(first.part()) << "new";
    io::AtomicFile moved(std::move(first));
    moved.commit();
    CHECK(io::read_text_file(file) == "new");
    CHECK(files_in(folder.path()) == 1);
}

TEST_CASE("what cannot be written is refused before work begins") {
    const test::TemporaryFolder folder("refused");
    CHECK_THROWS_WITH(io::AtomicFile(folder.path() / "none" / "x"),
                      Contains("there is no folder") && Contains("Hint: mkdir -p"));
    CHECK_THROWS_WITH(io::AtomicFile(folder.path()), Contains("it is a folder"));
    CHECK_THROWS_WITH(io::AtomicFile("/proc/civitas.h5"),
                      Contains("cannot write") && Contains("Hint: check the rights"));
    CHECK_THROWS_WITH(io::read_text_file(folder.path() / "x"), Contains("No such file"));
    CHECK(files_in(folder.path()) == 0);
}

TEST_CASE("what is no file is refused without waiting for it, and a text without bounds unread") {
    const test::TemporaryFolder folder("no-file");
    const fs::path fifo = folder.path() / "fifo", endless = folder.path() / "endless";
    REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
    CHECK_THROWS_WITH(io::read_text_file(fifo), Contains("fifo\": it is a FIFO"));
    CHECK_THROWS_WITH(io::read_text_file(folder.path()), Contains("it is a folder"));
    std::ofstream(endless) << '{';
    fs::resize_file(endless, std::uintmax_t{1} << 40);
    CHECK_THROWS_WITH(io::read_text_file(endless),
                      Contains("has 1099511627776 bytes, no text here has more than 1073741824"));
    CHECK_THROWS_WITH(io::read_text_file(endless, 5), Contains("no text here has more than 5"));
}

TEST_CASE("raw files are read and written at offsets by many threads") {
    const test::TemporaryFolder folder("raw");
    const fs::path file = folder.path() / "raw";
    const auto raw = io::RawFile::open_to_write(file);
    raw.reserve(4000);
    CHECK(raw.size() == 4000);
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 4; ++t)
            threads.emplace_back([&raw, t] {
                raw.write_at(static_cast<std::uint64_t>(t) * 1000,
                             bytes(std::string(1000, static_cast<char>('a' + t))));
            });
    }
    raw.sync();
    std::string back(1000, ' ');
    const auto reader = io::RawFile::open_to_read(file);
    reader.read_at(1500, std::as_writable_bytes(std::span<char>(back)));
    CHECK(back == std::string(500, 'b') + std::string(500, 'c'));
    CHECK_THROWS_WITH(reader.read_at(3500, std::as_writable_bytes(std::span<char>(back))),
                      Contains("ends at byte 4000, 500 bytes before") && Contains("truncated"));
    CHECK_THROWS_WITH(reader.read_at(5000, std::as_writable_bytes(std::span<char>(back))),
                      Contains("ends at byte 4000, 2000 bytes before"));
}

TEST_CASE("a full disk is an error that names the file") {
    const auto full = io::RawFile::open_to_write("/dev/full");
    CHECK_THROWS_WITH(full.write_at(0, bytes("x")),
                      Contains("/dev/full") && Contains("No space left") && Contains("Hint: free"));
    const test::TemporaryFolder folder("full");
    const auto raw = io::RawFile::open_to_write(folder.path() / "huge");
    CHECK_THROWS_WITH(raw.reserve(std::uint64_t{1} << 60), Contains("no room for"));
}

TEST_CASE("a folder that cannot be listed is named") {
    const test::TemporaryFolder folder("listed");
    io::write_text_file(folder.path() / "a", "");
    fs::create_directory(folder.path() / "b");
    CHECK(io::entries_of(folder.path()).size() == 2);
    CHECK_THROWS_WITH(io::entries_of(folder.path() / "c"), Contains("cannot list ") &&
                                                               Contains("c\": No such file") &&
                                                               Contains("Hint: "));
}

TEST_CASE("a copy takes the place of nothing") {
    const test::TemporaryFolder folder("copied");
    io::write_text_file(folder.path() / "a", "words");
    io::copy_file(folder.path() / "a", folder.path() / "b");
    CHECK(io::read_text_file(folder.path() / "b") == "words");
    CHECK_THROWS_AS(io::copy_file(folder.path() / "a", folder.path() / "b"), Error);
    CHECK_THROWS_WITH(io::copy_file(folder.path() / "c", folder.path() / "d"),
                      Contains("cannot copy ") && Contains("No such file"));
    CHECK(files_in(folder.path()) == 2);
}
