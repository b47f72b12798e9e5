#include "civitas/simd/tile_product.hpp"

#include "support/tensor.hpp"

#include "civitas/simd/number_type.hpp"
#include "civitas/simd/parts.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

using namespace civitas::simd;

namespace {

Word joined(float low, float high) {
    return c10::BFloat16(low).x | static_cast<Word>(c10::BFloat16(high).x) << 16U;
}

std::vector<Word> thirds(std::size_t count) {
    std::vector<Word> made(count);
    for (std::size_t i = 0; i < count; ++i)
        made[i] = joined(static_cast<float>(i * 31 % 1000) / 3 - 150,
                         static_cast<float>(i * 17 % 100) / 7);
    return made;
}

/// One product for each step, of rows as they lie; rows of `b` are packed.
std::vector<float> step_by_step(RowTiles a, const Word* b, const std::vector<TileStep>& steps,
                                float begun, Sum sum) {
    std::vector<float> c(a.first.size() * rows_of_tile * panel, begun);
    for (std::size_t t = 0; t < a.first.size(); ++t)
        for (std::size_t i = 0; i < steps.size(); ++i)
            multiply<c10::BFloat16>(rows_of_tile, {a.first[t] + steps[i].a, a.row, 1},
                                    b + steps[i].b, lanes, c.data() + t * rows_of_tile * panel,
                                    i == 0 ? sum : Sum::goes_on);
    return c;
}

/// Numbers of a row of the left factor, or of a column of the right one: between 1e-3 and 1e3, of
/// either sign.
std::vector<float> random_numbers(std::size_t count) {
    const at::Tensor numbers = at::pow(10, 6 * at::rand({static_cast<std::int64_t>(count)}) - 3) *
                               at::randn({static_cast<std::int64_t>(count)}).sign();
    const float* const first = numbers.const_data_ptr<float>();
    return {first, first + count};
}

/// The parts of numbers as words, which lie `row` words from each other, and parts `part` words.
void put_parts(const std::vector<float>& numbers, std::int64_t row, std::int64_t part, Word* to) {
    for (std::size_t i = 0; i < numbers.size(); i += 2) {
        float low = numbers[i], high = numbers[i + 1];
        for (int p = 0; p < bf16_parts<float>; ++p) {
            const c10::BFloat16 low_part(low), high_part(high);
            to[static_cast<std::int64_t>(i / 2) * row + p * part] =
                joined(static_cast<float>(low_part), static_cast<float>(high_part));
            low -= static_cast<float>(low_part);
            high -= static_cast<float>(high_part);
        }
    }
}

/// How far products are at most from those in double.
struct Off {
    double products, sums;  ///< those given, and those by sums in fp32
};
Off off(const std::vector<std::vector<float>>& rows, const std::vector<std::vector<float>>& columns,
        const std::vector<float>& products) {
    Off most{0, 0};
    for (std::size_t m = 0; m < rows.size(); ++m)
        for (std::size_t n = 0; n < columns.size(); ++n) {
            double truth = 0;
            float sum = 0;
            for (std::size_t k = 0; k < rows[m].size(); ++k) {
                truth += static_cast<double>(rows[m][k]) * static_cast<double>(columns[n][k]);
                sum = std::fma(rows[m][k], columns[n][k], sum);
            }
            const auto product = static_cast<double>(products[m * columns.size() + n]);
            most.products = std::max(most.products, std::abs(product - truth));
            most.sums = std::max(most.sums, std::abs(static_cast<double>(sum) - truth));
        }
    return most;
}

[[CIVITAS_VECTORS]] std::array<std::array<float, lanes>, 3> parts_of(const float* numbers) {
    __m512i parts[3];
    split(load(numbers, 0xffff), parts);
    std::array<std::array<float, lanes>, 3> made{};
    for (std::size_t i = 0; i < made.size(); ++i) _mm512_storeu_si512(made[i].data(), parts[i]);
    return made;
}

[[CIVITAS_VECTORS]] std::array<std::array<Word, lanes>, 3> words_of_row(const float* numbers,
                                                                        std::int64_t count) {
    PairWords<float> words;
    load_row(numbers, count, words);
    std::array<std::array<Word, lanes>, 3> made{};
    for (std::size_t i = 0; i < made.size(); ++i) _mm512_storeu_si512(made[i].data(), words[i]);
    return made;
}

}  // namespace

TEST_CASE("products of tiles are those of one step after the other, for one tile to five") {
    if (!has_amx()) return;
    constexpr std::int64_t row = 48;
    const std::vector<TileStep> steps{
        {0, 3 * lanes * panel}, {2 * row + 16, 0}, {row, lanes * panel}, {16, 2 * lanes * panel}};
    const std::vector<Word> pixels = thirds(100 * row), weights = thirds(4 * lanes * panel);
    for (const std::size_t count : {1U, 2U, 3U, 5U})
        for (const Sum sum : {Sum::begins, Sum::goes_on}) {
            std::vector<const Word*> first;
            for (std::size_t t = 0; t < count; ++t) first.push_back(pixels.data() + t * 17 * row);
            const RowTiles a{first, row, 0};
            std::vector<float> c(count * rows_of_tile * panel + 1, 5);
            multiply_steps<c10::BFloat16>(a, {weights.data(), panel, 0}, steps, c.data(), sum);
            INFO(count << " tiles");
            CHECK(c.back() == 5);
            c.pop_back();
            CHECK(c == step_by_step(a, weights.data(), steps, 5, sum));
        }
}

TEST_CASE("long products of parts are nearer to those in double than sums in fp32") {
    if (!has_amx()) return;
    constexpr std::int64_t words = 16 * lanes, numbers = 2 * words, part = words + 16;
    constexpr std::int64_t row = 3 * part, b_row = 3 * panel;
    at::manual_seed(3);
    for (const std::int64_t tiles : {1, 2, 3}) {
        std::vector<std::vector<float>> rows, columns;
        std::vector<Word> a(static_cast<std::size_t>(tiles * rows_of_tile * row)), b(words * b_row);
        for (std::int64_t m = 0; m < tiles * rows_of_tile; ++m) {
            rows.push_back(random_numbers(numbers));
            put_parts(rows.back(), 1, part, a.data() + m * row);
        }
        for (std::int64_t n = 0; n < panel; ++n) {
            columns.push_back(random_numbers(numbers));
            put_parts(columns.back(), b_row, panel, b.data() + n);
        }
        std::vector<const Word*> first;
        for (std::int64_t t = 0; t < tiles; ++t) first.push_back(a.data() + t * rows_of_tile * row);
        std::vector<TileStep> steps;
        for (std::int64_t k = 0; k < words; k += lanes) steps.push_back({k, k * b_row});
        std::vector<float> c(rows.size() * panel);
        multiply_steps<float>({first, row, part}, {b.data(), b_row, panel}, steps, c.data(),
                              Sum::begins);
        const auto [of_parts, of_sums] = off(rows, columns, c);
        INFO(tiles << " tiles: off by " << of_parts << ", sums by " << of_sums);
        CHECK(of_parts < of_sums);
    }
}

TEST_CASE("the parts of a number have eight bits each and sum up to it") {
    if (!has_set<float, Avx512>()) return;
    at::manual_seed(3);
    std::vector<float> numbers = random_numbers(1024);
    numbers[0] = std::numeric_limits<float>::max();
    numbers[1] = std::numeric_limits<float>::lowest();
    numbers[2] = std::numeric_limits<float>::min();
    numbers[3] = std::nextafter(1.0F, 0.0F);
    for (std::size_t i = 0; i < numbers.size(); i += lanes) {
        const auto parts = parts_of(numbers.data() + i);
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            double sum = 0;
            for (const auto& part : parts) {
                CHECK(static_cast<float>(c10::BFloat16(part[lane])) == part[lane]);
                sum += static_cast<double>(part[lane]);
            }
            CHECK(sum == static_cast<double>(numbers[i + lane]));
        }
    }
}

TEST_CASE("parts of what is infinite or no number do not hide it") {
    if (!has_set<float, Avx512>()) return;
    for (const float number : {INFINITY, -INFINITY, NAN, std::bit_cast<float>(0x7fffffffU)}) {
        const auto parts = parts_of(std::vector<float>(lanes, number).data());
        CHECK(!std::isfinite(parts[0][0] + parts[1][0] + parts[2][0]));
    }
}

TEST_CASE("words of a row have its numbers sixteen apart, whatever their size") {
    if (!has_set<float, Avx512>()) return;
    std::vector<float> numbers(2 * lanes, 1.3F);
    for (std::size_t i = 0; i < numbers.size(); i += 3) numbers[i] = i % 2 == 0 ? 3e-36F : 4.6e-41F;
    for (const std::int64_t count : {32, 31, 17, 16, 5}) {
        const auto words = words_of_row(numbers.data(), count);
        for (std::int64_t word = 0; word < lanes; ++word) {
            const auto [first, second] = pair_of<float>(word);
            CHECK(second == first + lanes);
            for (const bool upper : {false, true}) {
                const std::int64_t i = upper ? second : first;
                const double number =
                    i < count ? static_cast<double>(numbers[static_cast<std::size_t>(i)]) : 0;
                double sum = 0;
                for (const auto& part : words) {
                    const Word both = part[static_cast<std::size_t>(word)];
                    sum += static_cast<double>(
                        std::bit_cast<float>(upper ? both & 0xffff0000U : both << 16U));
                }
                CHECK(std::abs(sum - number) < 1e-38);
            }
        }
    }
}
