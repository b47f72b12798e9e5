#include "civitas/base/error.hpp"
#include "civitas/hdf5/hdf5.hpp"

#include "support/temporary.hpp"

#include <catch2/catch.hpp>
#include <fstream>

using namespace civitas;
using Catch::Matchers::Contains;
using hdf5::ElementType;
using hdf5::H5File;

namespace {

void write_file(const std::filesystem::path& file) {
    H5File h5 = H5File::create(file);
    h5.create_dataset({"/group/table", ElementType::f32, {3, 2}});
    h5.create_dataset({"/packed", ElementType::u8, {4, 2}, {1, 2}, 4});
    h5.write_rows<float>("/group/table", {0, 3}, std::vector<float>{1, 2, 3, 4, 5, 6});
    h5.write_rows<std::uint8_t>("/packed", {0, 4}, std::vector<std::uint8_t>(8, 7));
    h5.write_text("/words", "a text");
    h5.set_attribute("/", "format", std::string("test"));
    h5.set_attribute("/group/table", "share", 0.5);
    h5.close();
}

void read_file(const std::filesystem::path& file) {
    const H5File h5 = H5File::open(file);
    static_cast<void>(h5.children("/"));
    static_cast<void>(h5.attributes("/group"));
    static_cast<void>(h5.read_all<float>("/group/table"));
    static_cast<void>(h5.number_attribute("/group/table", "share"));
    static_cast<void>(h5.row_chunks("/packed"));
    static_cast<void>(h5.read_all<std::uint8_t>("/packed"));
    static_cast<void>(h5.read_text("/words"));
    static_cast<void>(h5.text_attribute("/", "format"));
}

std::string bytes_of(const std::filesystem::path& file) { return io::read_text_file(file); }

void write_bytes(const std::filesystem::path& file, const std::string& bytes) {
    std::ofstream(file, std::ios::binary) << bytes;
}

}  // namespace

TEST_CASE("each changed byte of a file is an error of ours or does no harm") {
    const test::TemporaryFolder folder("h5-damage");
    const auto whole = folder.path() / "whole.h5", changed = folder.path() / "changed.h5";
    write_file(whole);
    REQUIRE_NOTHROW(read_file(whole));
    const std::string bytes = bytes_of(whole);
    std::size_t refused = 0;
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        if (bytes[at] == 0 && at % 8 != 0) continue;  // what is empty counts less
        for (const unsigned flip : {0x02U, 0xffU}) {
            std::string other = bytes;
            other[at] = static_cast<char>(static_cast<unsigned char>(other[at]) ^ flip);
            write_bytes(changed, other);
            try {
                read_file(changed);
            } catch (const Error&) {
                ++refused;
            }
        }
    }
    CHECK(refused > 300);
}

TEST_CASE("a message that is said to be shared is refused where it is") {
    const test::TemporaryFolder folder("h5-shared");
    const auto file = folder.path() / "file.h5";
    write_file(file);
    std::string bytes = bytes_of(file);
    const std::string float_type("\x11\x20\x1f\x00\x04\x00\x00\x00", 8);
    const auto at = bytes.find(float_type);
    REQUIRE(at != std::string::npos);
    bytes[at - 4] = static_cast<char>(bytes[at - 4] | 2);
    write_bytes(file, bytes);
    CHECK_THROWS_WITH(read_file(file), Contains("the HDF5 structure at byte ") &&
                                           Contains(" is damaged, or of a form that is not read"));
    CHECK_NOTHROW(H5File::open(file).read_text("/words"));
}

TEST_CASE("a file that becomes shorter while it is read is an error that says so") {
    const test::TemporaryFolder folder("h5-shorter");
    const auto file = folder.path() / "file.h5";
    write_file(file);
    const H5File h5 = H5File::open(file);
    std::filesystem::resize_file(file, 100);
    CHECK_THROWS_WITH(h5.read_text("/words"),
                      Contains(" by now: it has become shorter") || Contains("cannot read"));
}
