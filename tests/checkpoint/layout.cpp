#include "checkpoint/layout.hpp"
#include "checkpoint/contents.hpp"

#include "support/temporary.hpp"

#include <sys/stat.h>
#include <catch2/catch.hpp>
#include <numeric>

using namespace civitas;
using namespace civitas::checkpoint;

namespace {

// Element numbers of a box by counting through all elements of the array.
std::vector<std::int64_t> elements_in(const Shape& shape, const Box& box) {
    std::vector<std::int64_t> found;
    for (std::int64_t i = 0; i < elements_of(shape); ++i) {
        std::int64_t rest = i;
        bool inside = true;
        for (std::size_t d = shape.size(); d-- > 0; rest /= shape[d]) {
            const std::int64_t at = rest % shape[d];
            inside = inside && at >= box[d].begin && at < box[d].end();
        }
        if (inside) found.push_back(i);
    }
    return found;
}

std::vector<std::int64_t> elements_in(const std::vector<FileRun>& runs) {
    std::vector<std::int64_t> found;
    for (const FileRun& run : runs) {
        CHECK(run.shard_begin == static_cast<std::int64_t>(found.size()));
        for (std::int64_t k = 0; k < run.count; ++k) found.push_back(run.array_begin + k);
    }
    return found;
}

}  // namespace

TEST_CASE("runs of a box are its elements in order") {
    const Shape shape{4, 3, 5, 2};
    for (const Box& box :
         {Box{{0, 4}, {0, 3}, {0, 5}, {0, 2}}, Box{{1, 2}, {0, 3}, {0, 5}, {0, 2}},
          Box{{0, 4}, {1, 2}, {0, 5}, {0, 2}}, Box{{0, 4}, {0, 3}, {2, 2}, {0, 2}},
          Box{{1, 3}, {1, 1}, {3, 2}, {1, 1}}, Box{{0, 4}, {0, 0}, {0, 5}, {0, 2}}})
        CHECK(elements_in(runs_of(shape, box)) == elements_in(shape, box));
    CHECK(runs_of(shape, whole_box(shape)).size() == 1);
    CHECK(runs_of(shape, {{1, 2}, {0, 3}, {0, 5}, {0, 2}}).size() == 1);
    CHECK(runs_of(shape, {{0, 4}, {1, 2}, {0, 5}, {0, 2}}).size() == 4);
    CHECK(runs_of({}, {}).size() == 1);
    CHECK_THROWS_WITH(runs_of(shape, {{0, 4}}), Catch::Contains("a range per dim"));
}

TEST_CASE("pieces cut a box into contiguous parts of limited size, in order") {
    const Box box{{1, 3}, {2, 4}, {0, 7}};
    for (const std::int64_t most : {1, 5, 7, 20, 28, 1000}) {
        std::int64_t at = 0;
        for (const Box& piece : pieces_of(box, most)) {
            CHECK(elements_of(piece) <= most);
            Box inside = piece;
            for (std::size_t d = 0; d < box.size(); ++d) inside[d].begin -= box[d].begin;
            const auto runs = runs_of({3, 4, 7}, inside);
            REQUIRE(runs.size() == 1);
            CHECK(runs[0].array_begin == at);
            at += runs[0].count;
        }
        CHECK(at == elements_of(box));
    }
    CHECK(pieces_of(Box{{0, 0}, {0, 4}}, 10).empty());
}

TEST_CASE("arrays of more than 2^32 elements have exact runs") {
    const std::int64_t rows = 70'000, columns = 90'000;
    const auto runs = runs_of({rows, columns}, {{rows - 2, 2}, {10, columns - 20}});
    REQUIRE(runs.size() == 2);
    CHECK(runs[0].array_begin == 6'299'820'010);
    CHECK(runs[1].array_begin == 6'299'910'010);
    CHECK(runs[1].shard_begin == 89'980);
    const auto one = runs_of({rows, columns}, whole_box({rows, columns}));
    REQUIRE(one.size() == 1);
    CHECK(one[0].count == 6'300'000'000);
    const auto pieces = pieces_of(whole_box({rows, columns}), std::int64_t{1} << 22);
    CHECK(pieces.size() == 1522);  // of 46 rows
    CHECK(pieces.back()[0].end() == rows);
}

TEST_CASE("the file of a net of more than 2^31 parameters is laid out without its values") {
    std::vector<ArrayInfo> arrays;
    std::int64_t parameters = 0;
    for (const char* what : {"ema", "optimizer/exp_avg", "optimizer/exp_avg_sq", "parameters"})
        for (int layer = 0; layer < 3; ++layer) {
            arrays.push_back({text("/generator/", what, "/deconv", layer, ".weight"),
                              {8192, 8192, 4, 4},
                              hdf5::ElementType::f32,
                              0,
                              0});
            if (std::string(what) == "parameters") parameters += elements_of(arrays.back().shape);
        }
    REQUIRE(parameters > (std::int64_t{1} << 31));
    const test::TemporaryFolder folder("layout");
    const auto file = folder.path() / "step-00000001.h5";
    const Places places = write_frame(file, {}, arrays, 1 << 16);
    const std::uint64_t bytes = std::uint64_t{4} << 30;  // 8192 x 8192 x 16 x 4
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        CHECK(places.arrays[i] % 4096 == 0);
        for (std::size_t k = 0; k < i; ++k)
            CHECK((places.arrays[k] + bytes <= places.arrays[i] ||
                   places.arrays[i] + bytes <= places.arrays[k]));
    }
    struct stat facts {};
    REQUIRE(stat(file.c_str(), &facts) == 0);
    CHECK(static_cast<std::uint64_t>(facts.st_size) > bytes * arrays.size());
    CHECK(static_cast<std::uint64_t>(facts.st_size) < most_bytes({}, arrays));
    CHECK(facts.st_blocks * 512 < (1 << 20));  // nothing was written where the arrays go
    const auto contents = hdf5::H5File::open(file);
    CHECK(contents.offset(arrays.back().name) == places.arrays.back());
}
