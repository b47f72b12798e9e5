#include "support/tensor.hpp"

#include "civitas/data/coding.hpp"
#include "civitas/data/road_gaps.hpp"

#include <string>

using namespace civitas;
using namespace civitas::data;

namespace {

/// `+` road, `#` building, `.` open ground; digits are open ground where road has that many tenths.
at::Tensor drawn(const std::vector<std::string>& rows) {
    const auto height = static_cast<std::int64_t>(rows.size()),
               width = static_cast<std::int64_t>(rows.front().size());
    at::Tensor image = torch::full({3, height, width}, -1.0F);
    for (std::int64_t y = 0; y < height; ++y)
        for (std::int64_t x = 0; x < width; ++x) {
            const char c = rows[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)];
            image[c == '#' ? 0 : c == '+' ? 1 : 2][y][x] = 1.0F;
            if (c >= '0' && c <= '9') image[1][y][x] = static_cast<float>(c - '0') / 5 - 1;
        }
    return image;
}

std::vector<std::string> roads_of(const at::Tensor& image) {
    const at::Tensor strongest = image.argmax(0);
    std::vector<std::string> rows;
    for (std::int64_t y = 0; y < image.size(1); ++y) {
        auto& row = rows.emplace_back();
        for (std::int64_t x = 0; x < image.size(2); ++x) {
            const auto c = strongest[y][x].item<std::int64_t>();
            row += c == 1 ? '+' : c == 0 ? '#' : '.';
        }
    }
    return rows;
}

std::vector<std::string> closed(const std::vector<std::string>& rows,
                                std::int64_t pixels_of_tile = 0) {
    return roads_of(with_closed_gaps(drawn(rows), Coding::colour, pixels_of_tile));
}

}  // namespace

TEST_CASE("a gap that the generator is in doubt of is closed along the likeliest way") {
    CHECK(closed({"++3+", "...."}) == std::vector<std::string>{"++++", "...."});
    CHECK(closed({"++2+", "...."}) == std::vector<std::string>{"++.+", "...."});
    // The longer way is the likelier one: 2 x 0.7 straight on, 4 x 0.1 around.
    CHECK(closed({"++33++", ".9999."}) == std::vector<std::string>{"++..++", ".++++."});
}

TEST_CASE("a gap that the generator is sure of is closed if it is short") {
    CHECK(longest_gap(64) == 2);
    CHECK(closed({"+..+"}, 64) == std::vector<std::string>{"++++"});
    CHECK(closed({"+..+"}, 32) == std::vector<std::string>{"+..+"});
    // Pixels in doubt are not counted, and a way with fewer others is taken, however long.
    CHECK(closed({"+4..4+"}, 64) == std::vector<std::string>{"++++++"});
    CHECK(closed({"+.+", "333"}, 32) == std::vector<std::string>{"+.+", "+++"});
    CHECK(closed({"+.#", "#.+"}, 64) == std::vector<std::string>{"++#", "#++"});
    CHECK(closed({"+..", "..."}, 64) == std::vector<std::string>{"+..", "..."});
    CHECK(closed({"+++", "+.+", "+.+"}, 64) == std::vector<std::string>{"+++", "+.+", "+.+"});
}

TEST_CASE("roads end where they ended, and no ring is closed") {
    CHECK(closed({"++44", "...."}) == std::vector<std::string>{"++..", "...."});
    CHECK(closed({"+++", "+.+", "+4+"}) == std::vector<std::string>{"+++", "+.+", "+.+"});
    // Three roads need two ways: the likelier ones.
    CHECK(closed({"+4+", "39.", "+8."}) == std::vector<std::string>{"+++", "+..", "+.."});
}

TEST_CASE("roads that meet over a corner alone are joined, and houses stay") {
    CHECK(closed({"+5", ".+"}) == std::vector<std::string>{"++", ".+"});
    CHECK(closed({"+#+", "..."}) == std::vector<std::string>{"+#+", "..."});
    at::Tensor house = drawn({"+#+"});
    house[1][0][1] = 0.9F;  // road nearly as strong as the house
    CHECK(roads_of(with_closed_gaps(house, Coding::colour, 0)) == std::vector<std::string>{"+#+"});
}

TEST_CASE("a gap is closed where road and open ground are equal, and in larger plans, too") {
    at::Tensor equal = drawn({"+.+"});
    equal[1][0][1] = equal[2][0][1] = 0.2F;
    CHECK(roads_of(with_closed_gaps(equal, Coding::colour, 0)) == std::vector<std::string>{"+++"});
    const at::Tensor joined = with_closed_gaps(
        drawn({"......", ".+34+.", "......", ".+34+.", "......", "......"}), Coding::colour, 0);
    for (const std::int64_t pixels : {6, 12, 24, 48}) {
        const auto classes = classes_of(joined, Coding::colour, pixels);
        const std::int64_t row = pixels / 4;  // of the upper road
        for (std::int64_t x = pixels / 4; x < 3 * pixels / 4; ++x)
            CHECK(classes[static_cast<std::size_t>(row * pixels + x)] == 1);
    }
}

TEST_CASE("what has no gaps stays as it is to the bit") {
    const at::Tensor whole = drawn({"+++", "#.1", "..."});
    CHECK(torch::equal(with_closed_gaps(whole, Coding::colour, 0), whole));
    const at::Tensor grey = torch::rand({1, 5, 7}) * 2 - 1;
    CHECK(torch::equal(with_closed_gaps(grey, Coding::grey, 0), grey));
}

TEST_CASE("joined roads are one wherever doubt lies between them, whatever their number") {
    torch::manual_seed(3);
    const at::Tensor image = torch::rand({3, 24, 40}) * 2 - 1;
    const at::Tensor out = with_closed_gaps(image, Coding::colour, 0);
    // Joined once, nothing more is to join, and what was not joined is as it was.
    CHECK(torch::equal(with_closed_gaps(out, Coding::colour, 0), out));
    const at::Tensor changed = (out != image).any(0);
    CHECK(changed.any().item<bool>());
    CHECK(torch::equal(out[1].masked_select(changed),
                       torch::ones({changed.sum().item<std::int64_t>()})));
    CHECK((image.argmax(0).masked_select(changed) == 2).all().item<bool>());
    CHECK(torch::equal(out[0], image[0]));
}
