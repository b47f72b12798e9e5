#include "civitas/io/safetensors.hpp"
#include "civitas/base/error.hpp"
#include "civitas/io/safetensors_file.hpp"

#include "support/file_size_limit.hpp"
#include "support/temporary.hpp"

#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>

using namespace civitas;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

/// A file of these bytes behind a header of their length.
void write_file(const fs::path& file, const std::string& header, const std::string& values) {
    const std::uint64_t length = header.size();
    std::string bytes(sizeof length, '\0');
    for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = static_cast<char>(length >> (8 * i) & 0xff);
    std::ofstream(file, std::ios::binary) << bytes << header << values;
}

bool same(float a, float b) {
    return a == b ? std::signbit(a) == std::signbit(b) : a != a && b != b;
}

}  // namespace

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

TEST_CASE("what is written is read back, whatever its rank") {
    const test::TemporaryFolder folder{"safetensors"};
    const fs::path file = folder.path() / "net.safetensors";
    const std::array<float, 6> a{1, -2, 3, 0.5F, 1e-40F, 6};
    const std::array<float, 1> b{7};
    io::write_safetensors(file, {{"net", "small"}}, {{"a", {1, 2, 3}, a}, {"b", {}, b}},
                          io::Replace::no);
    const auto read = io::SafetensorsFile::open(file);
    CHECK(read.arrays().size() == 2);
    CHECK(read.arrays().at("a").shape == std::vector<std::int64_t>{1, 2, 3});
    CHECK(read.arrays().at("b").shape.empty());
    CHECK(read.floats("a") == std::vector<float>(a.begin(), a.end()));
    CHECK(read.floats("b") == std::vector<float>{7});
}

TEST_CASE("every number of 16 bits is read as libtorch reads it") {
    const test::TemporaryFolder folder{"safetensors"};
    const fs::path file = folder.path() / "half.safetensors";
    constexpr std::uint32_t count = 1U << 16;
    std::string all;
    for (std::uint32_t bits = 0; bits < count; ++bits)
        all += {static_cast<char>(bits & 0xff), static_cast<char>(bits >> 8)};
    write_file(file,
               R"({"half":{"dtype":"F16","shape":[65536],"data_offsets":[0,131072]},)"
               R"("brain":{"dtype":"BF16","shape":[256,256],"data_offsets":[131072,262144]}})",
               all + all);
    const auto read = io::SafetensorsFile::open(file);
    const auto half = read.floats("half"), brain = read.floats("brain");
    REQUIRE(half.size() == count);
    REQUIRE(brain.size() == count);
    std::uint32_t other = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
        const auto bits = static_cast<std::uint16_t>(i);
        if (!same(half[i], c10::Half(bits, c10::Half::from_bits()))) ++other;
        if (!same(brain[i], c10::BFloat16(bits, c10::BFloat16::from_bits()))) ++other;
    }
    CHECK(other == 0);
}

TEST_CASE("arrays of other types are listed, and not read as weights") {
    const test::TemporaryFolder folder{"safetensors"};
    const fs::path file = folder.path() / "counter.safetensors";
    write_file(file, R"({"seen":{"dtype":"I64","shape":[],"data_offsets":[0,8]}})",
               std::string(8, '\1'));
    const auto read = io::SafetensorsFile::open(file);
    CHECK(read.arrays().at("seen").type == "I64");
    CHECK_THROWS_WITH(read.floats("seen"), Contains("counter.safetensors") &&
                                               Contains("array 'seen' is of I64") &&
                                               Contains("Hint: weights of F32, F16 or BF16"));
}
