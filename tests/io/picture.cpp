#include "civitas/io/picture.hpp"
#include "civitas/base/error.hpp"

#include "support/file_size_limit.hpp"
#include "support/temporary.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

using namespace civitas;
using Catch::Matchers::Contains;

TEST_CASE("a picture comes back from its PNG pixel by pixel") {
    const test::TemporaryFolder folder("png");
    io::Picture picture(7, 3, {10, 20, 30});
    picture.at(6, 0) = {255, 0, 1};
    picture.at(0, 2) = {0, 254, 2};
    const auto file = folder.path() / "x.png";
    io::write_png(file, picture);
    const io::Picture back = io::read_png(file);
    REQUIRE(back.width() == 7);
    REQUIRE(back.height() == 3);
    for (int y = 0; y < 3; ++y)
        for (int x = 0; x < 7; ++x) CHECK(back.at(x, y) == picture.at(x, y));
}

TEST_CASE("a picture is shrunk by whole pixels, and the bytes of a PNG are those of its file") {
    io::Picture picture(5, 4, {0, 0, 0});
    for (int y = 0; y < 4; ++y)
        for (int x = 0; x < 5; ++x)
            picture.at(x, y) = {static_cast<std::uint8_t>(10 * x), static_cast<std::uint8_t>(y), 7};
    const io::Picture small = io::shrunk(picture, 2);  // squares of 3: two columns would be of 2.5
    REQUIRE(small.width() == 1);
    REQUIRE(small.height() == 1);
    CHECK(small.at(0, 0) == io::Colour{10, 1, 7});
    const io::Picture half = io::shrunk(picture, 4);
    REQUIRE(half.width() == 2);
    REQUIRE(half.height() == 2);
    CHECK(half.at(1, 1) == io::Colour{25, 3, 7});
    CHECK(io::shrunk(picture, 5).width() == 5);
    const test::TemporaryFolder folder("png-bytes");
    io::write_png(folder.path() / "x.png", half);
    const std::string file = io::read_text_file(folder.path() / "x.png");
    const auto bytes = io::png_of(half);
    CHECK(file == std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

// Signature, IHDR, sizes and colour type as the PNG specification lays them out.
TEST_CASE("the PNG has the header of the specification") {
    const test::TemporaryFolder folder("png-header");
    const auto file = folder.path() / "x.png";
    io::write_png(file, io::Picture(258, 3, {}));
    std::stringstream in;
    in << std::ifstream(file, std::ios::binary).rdbuf();
    const std::string head = in.str().substr(0, 26);
    CHECK(head == std::string("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\1\2\0\0\0\3\x08\x02", 26));
}

TEST_CASE("pictures that cannot be are errors") {
    const test::TemporaryFolder folder("png-bad");
    CHECK_THROWS_WITH(io::write_png(folder.path() / "none" / "x.png", io::Picture(1, 1, {})),
                      Contains("there is no folder"));
    CHECK_THROWS_WITH(io::read_png(folder.path() / "none.png"),
                      Contains("none.png") && Contains("No such file"));
    std::ofstream(folder.path() / "text.png") << "words that no picture begins with";
    CHECK_THROWS_WITH(io::read_png(folder.path() / "text.png"),
                      Contains("Not a PNG file. Hint: it is damaged, or no PNG"));
    // The head of a picture of 65 535 x 65 535 pixels, with its checksum.
    std::ofstream(folder.path() / "huge.png", std::ios::binary) << std::string(
        "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\xff\xff\0\0\xff\xff\x08\2\0\0\0\071\147\116\007"
        "\0\0\0\0IDAT\x35\xaf\6\x1e",
        45);
    CHECK_THROWS_WITH(io::read_png(folder.path() / "huge.png"),
                      Contains("65535 x 65535 pixels, and 134217728 are the most that are read"));
    {
        const test::FileSizeLimit limit(100);
        CHECK_THROWS_WITH(io::write_png(folder.path() / "large.png", io::Picture(300, 300, {})),
                          Contains("File too large. Hint: free some space"));
    }
    CHECK_FALSE(std::filesystem::exists(folder.path() / "large.png"));
    CHECK_THROWS(io::Picture(0, 1, {}));
    io::Picture picture(2, 2, {});
    CHECK_THROWS(picture.at(2, 0));
}
