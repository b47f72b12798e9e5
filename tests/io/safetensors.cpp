#include "civitas/io/safetensors.hpp"
#include "civitas/base/error.hpp"

#include "support/file_size_limit.hpp"
#include "support/temporary.hpp"

#include <array>
#include <catch2/catch.hpp>

using namespace civitas;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

TEST_CASE("a safetensors file: length, header, values") {
    const test::TemporaryFolder folder{"safetensors"};
    const fs::path file = folder.path() / "net.safetensors";
    const std::array<float, 3> a{1, 2, 3};
    const std::array<float, 2> b{-1, 0.5};
    const std::string not_utf8 = "\xff";
    io::write_safetensors(file, {{"net", "small"}, {"said", not_utf8}},
                          {{"a", {3}, a}, {"b.weight", {1, 2}, b}}, io::Replace::no);
    const std::string bytes = test::content(file);
    const auto length = static_cast<unsigned char>(bytes[0]);
    CHECK(length % 8 == 0);
    CHECK(bytes.substr(1, 7) == std::string(7, '\0'));
    CHECK_THAT(bytes.substr(8, length),
               Contains("{\"__metadata__\":{\"net\":\"small\",\"said\":\"\xef\xbf\xbd\"}"));
    CHECK_THAT(bytes.substr(8, length),
               Contains(R"("a":{"dtype":"F32","shape":[3],"data_offsets":[0,12]})") &&
                   Contains(R"("b.weight":{"dtype":"F32","shape":[1,2],"data_offsets":[12,20]})"));
    CHECK(bytes.size() == 8U + length + 20U);
    CHECK(bytes.substr(8U + length + 12) == std::string("\0\0\x80\xbf\0\0\0\x3f", 8));
    CHECK_THROWS_WITH(io::write_safetensors(file, {}, {}, io::Replace::no), Contains("is kept"));
}

TEST_CASE("a disk that fills up leaves no safetensors file") {
    const test::TemporaryFolder folder{"safetensors"};
    const std::vector<float> values(100'000);
    const test::FileSizeLimit limit(1000);
    CHECK_THROWS_WITH(io::write_safetensors(folder.path() / "net.safetensors", {},
                                            {{"a", {100'000}, values}}, io::Replace::no),
                      Contains("net.safetensors"));
    CHECK(fs::is_empty(folder.path()));
}
