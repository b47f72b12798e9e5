#include "checkpoint/cover.hpp"
#include "checkpoint/records.hpp"

#include <catch2/catch.hpp>
#include <random>

using namespace civitas;
using namespace civitas::checkpoint;

namespace {

Part part(const std::string& name, const Shape& shape, const Box& box, bool writes = true) {
    return {{name, shape, hdf5::ElementType::f32, 0, 0}, box, writes};
}

std::vector<const Box*> pointers(const std::vector<Box>& boxes) {
    std::vector<const Box*> some;
    for (const Box& box : boxes) some.push_back(&box);
    return some;
}

// Counting boxes over every element of a 3 x 4 array.
bool covers_once(const std::vector<Box>& boxes) {
    for (std::int64_t i = 0; i < 3; ++i)
        for (std::int64_t j = 0; j < 4; ++j) {
            const auto over = [&](const Box& b) {
                return i >= b[0].begin && i < b[0].end() && j >= b[1].begin && j < b[1].end();
            };
            if (std::count_if(boxes.begin(), boxes.end(), over) != 1) return false;
        }
    return true;
}

// The parts of a job of 100 data replicas of 10 tensor ranks: half of the arrays are cut in both
// dims, the others in the first alone, by all ranks.
constexpr int replicas = 100, slices = 10, all_ranks = replicas * slices, array_count = 200;
const Shape shape{2048, 512, 4, 4};

std::vector<Part> parts_of_many_ranks() {
    std::vector<Part> parts;
    for (int r = 0; r < all_ranks; ++r)
        for (int a = 0; a < array_count; ++a) {
            Box box = whole_box(shape);
            if (a % 2 == 0) {
                box[0] = block_range(shape[0], r, all_ranks);
            } else {
                box[0] = block_range(shape[0], r / slices, replicas);
                box[1] = block_range(shape[1], r % slices, slices);
            }
            parts.push_back(part(text("/array", a), shape, box));
        }
    return parts;
}

}  // namespace

TEST_CASE("records bring back what was packed") {
    const std::vector<Part> parts{part("/a/b.weight", {3, std::int64_t{1} << 40}, {{1, 2}, {0, 9}}),
                                  part("/s", {}, {}, false)};
    const auto read = parts_from(packed(parts));
    REQUIRE(read.size() == 2);
    for (std::size_t i = 0; i < 2; ++i) {
        CHECK(read[i].array == parts[i].array);
        CHECK(read[i].box == parts[i].box);
        CHECK(read[i].writes == parts[i].writes);
    }
    const std::vector<ArrayInfo> arrays{
        {"/x", {0}, hdf5::ElementType::f64, 4096, 18446744073709551615ULL}};
    CHECK(arrays_from(packed(arrays)) == arrays);
    CHECK(parts_from({}).empty());
    const Contents contents{
        {StepIndex{7}, {{"seed", "1"}, {"empty", ""}}, {{"a b", "©\n"}}, "x"}, arrays, 99};
    const Contents back = contents_from(packed(contents));
    CHECK(back.header.step == contents.header.step);
    CHECK(back.header.facts == contents.header.facts);
    CHECK(back.header.notes == contents.header.notes);
    CHECK(back.header.configuration == "x");
    CHECK(back.arrays == arrays);
    CHECK(back.fingerprint == 99);
    auto cut = packed(contents);
    cut.pop_back();
    CHECK_THROWS_WITH(contents_from(cut), Catch::Contains("a record is whole"));
}

TEST_CASE("parts must cover every array exactly once") {
    const Shape small{4, 6};
    CHECK(
        arrays_of({part("/b", small, {{0, 4}, {0, 2}}), part("/a", {2}, {{0, 2}}),
                   part("/b", small, {{0, 4}, {2, 4}}), part("/b", small, {{0, 4}, {0, 6}}, false)})
            .size() == 2);
    CHECK(arrays_of({part("/s", {}, {}), part("/none", {0, 3}, {{0, 0}, {0, 3}})}).size() == 2);
    CHECK_THROWS_WITH(arrays_of({part("/a", small, {{0, 4}, {0, 5}})}),
                      Catch::Contains("/a (4, 6) has 24 elements, its shards hold 20"));
    CHECK_THROWS_WITH(
        arrays_of({part("/a", small, {{0, 3}, {0, 6}}), part("/a", small, {{2, 1}, {0, 6}})}),
        Catch::Contains("two shards of array /a overlap"));
    CHECK_THROWS_WITH(arrays_of({part("/a", small, {{0, 4}, {0, 6}}, false)}),
                      Catch::Contains("its shards hold 0"));
    CHECK_THROWS_WITH(arrays_of({part("/a", {4}, {{0, 2}}), part("/a", {5}, {{2, 2}})}),
                      Catch::Contains("/a is (4) on one rank and (5) on another"));
}

TEST_CASE("corners tell what counting every element tells") {
    std::minstd_rand random(1);
    const auto range = [&](std::int64_t most) {
        const auto begin = static_cast<std::int64_t>(random() % static_cast<unsigned>(most));
        return Range{begin,
                     1 + static_cast<std::int64_t>(random() % static_cast<unsigned>(most - begin))};
    };
    const ArrayInfo array{"/a", {3, 4}, hdf5::ElementType::f32, 0, 0};
    int right = 0;
    for (int turn = 0; turn < 20'000; ++turn) {
        std::vector<Box> boxes;
        for (std::int64_t held = 0; held < 12; held += elements_of(boxes.back()))
            boxes.push_back({range(3), range(4)});
        bool found = true;
        try {
            require_exact_cover(array, pointers(boxes));
        } catch (const Error&) {
            found = false;
        }
        if (found != covers_once(boxes)) FAIL("turn " << turn);
        right += found ? 1 : 0;
    }
    CHECK(right > 10);
}

TEST_CASE("the shards of a thousand ranks are looked at once each") {
    auto parts = parts_of_many_ranks();
    const auto arrays = arrays_of(parts);
    CHECK(arrays.size() == array_count);
    std::vector<Box> rows, tiles;
    for (const Part& p : parts) {
        if (p.array.name == "/array0") rows.push_back(p.box);
        if (p.array.name == "/array1") tiles.push_back(p.box);
    }
    REQUIRE(rows.size() == all_ranks);
    CHECK(require_exact_cover(arrays[0], pointers(rows)) == 2 * (all_ranks + 1));
    CHECK(require_exact_cover(arrays[0], pointers(tiles)) == 4 * (all_ranks + 1));
    parts[3].box[0].begin += 1;
    CHECK_THROWS_WITH(arrays_of(parts), Catch::Contains("two shards of array /array3 overlap"));
    parts.erase(parts.begin() + 3);
    CHECK_THROWS_WITH(arrays_of(parts), Catch::Contains("/array3 (2048, 512, 4, 4) has 16777216 "
                                                        "elements, its shards hold "));
}
