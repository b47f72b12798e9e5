#include "civitas/simd/number_type.hpp"
#include "civitas/simd/vectors.hpp"

#include <catch2/catch.hpp>

#include <c10/core/ScalarType.h>
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <vector>

using namespace civitas::simd;

namespace {

template <class T>
using Numbers = std::vector<T>;

/// As many small whole numbers as a vector of words has, from 1 on; behind `count` of them zeros.
template <class T>
Numbers<T> first_numbers(std::int64_t count) {
    Numbers<T> numbers(static_cast<std::size_t>(lanes * numbers_per_word<T>));
    for (std::int64_t i = 0; i < std::min(count, std::ssize(numbers)); ++i)
        numbers[static_cast<std::size_t>(i)] = static_cast<T>(static_cast<float>(i + 1));
    return numbers;
}

template <class T>
Word* words_in(Numbers<T>& numbers) {
    return reinterpret_cast<Word*>(numbers.data());
}

template <class T>
[[CIVITAS_VECTORS]] Numbers<T> loaded(const Numbers<T>& from, std::int64_t count) {
    Numbers<T> to(from.size());
    store_words(words_in(to), load_words(from.data(), count));
    return to;
}

/// The numbers of words, taken apart and put together again.
template <class T>
[[CIVITAS_VECTORS]] Numbers<T> put_together(const Numbers<T>& from) {
    Numbers<T> to(from.size());
    const Words words = load_words(from.data(), std::ssize(from));
    Floats numbers[numbers_per_word<T>];
    for (std::int64_t j = 0; j < numbers_per_word<T>; ++j) numbers[j] = number_of(words, j, T());
    store_words(words_in(to), words_of_numbers(numbers));
    return to;
}

/// Number j of each word, in fp32.
template <class T>
[[CIVITAS_VECTORS]] std::vector<float> taken_apart(const Numbers<T>& from, std::int64_t j) {
    std::vector<float> to(lanes);
    store(to.data(), every_lane, number_of(load_words(from.data(), std::ssize(from)), j, T()));
    return to;
}

/// Sixteen numbers, in another type.
template <class T>
[[CIVITAS_VECTORS]] Numbers<T> stored(const std::vector<float>& from, Mask there, T otherwise) {
    Numbers<T> to(lanes, otherwise);
    store(to.data(), there, load(from.data()));
    return to;
}

template <class T>
[[CIVITAS_VECTORS]] std::vector<float> read(const Numbers<T>& from, Mask there) {
    std::vector<float> to(lanes);
    store(to.data(), every_lane, load(from.data(), there));
    return to;
}

[[CIVITAS_VECTORS]] std::vector<float> behind(const std::vector<float>& from, std::int64_t first) {
    std::vector<float> to(lanes);
    store(to.data(), every_lane, lanes_behind(load(from.data()), first));
    return to;
}

[[CIVITAS_VECTORS]] std::vector<Word> transposed(const std::vector<Word>& from) {
    Words rows[lanes];
    for (std::int64_t i = 0; i < lanes; ++i)
        rows[i] = load_words(reinterpret_cast<const float*>(from.data()) + i * lanes, lanes);
    transpose(rows);
    std::vector<Word> to(from.size());
    for (std::int64_t i = 0; i < lanes; ++i) store_words(to.data() + i * lanes, rows[i]);
    return to;
}

/// Some with bits that bf16 has not: above, below and at the middle of two numbers.
std::vector<float> awkward_numbers() {
    std::vector<float> numbers{1.F,       -2.5F, 0.1F,          -3e38F,        1e-30F, INFINITY,
                               -INFINITY, NAN,   1 + 1.F / 256, 1 + 3.F / 256, -0.F,   7.F};
    for (const std::uint32_t bits : {0x3f808001U, 0x3f807fffU, 0x7f7fffffU, 0x7f800001U})
        numbers.push_back(std::bit_cast<float>(bits));
    return numbers;
}

}  // namespace

TEMPLATE_TEST_CASE("words of a row have its numbers, and zeros behind", "", float, c10::BFloat16) {
    if (!has_set<TestType, CompiledFor>()) return;
    const auto row = first_numbers<TestType>(2 * lanes);
    for (const std::int64_t count : {-3, 0, 1, 15, 16, 17, 31, 32, 40}) {
        INFO(count << " numbers");
        CHECK(loaded(row, count) == first_numbers<TestType>(count));
    }
}

TEMPLATE_TEST_CASE("numbers of words are neighbours, which make the same words again", "", float,
                   c10::BFloat16) {
    if (!has_set<TestType, CompiledFor>()) return;
    const auto words = first_numbers<TestType>(2 * lanes);
    constexpr std::int64_t per_word = numbers_per_word<TestType>;
    for (std::int64_t j = 0; j < per_word; ++j) {
        const auto numbers = taken_apart(words, j);
        for (std::int64_t i = 0; i < lanes; ++i)
            CHECK(numbers[static_cast<std::size_t>(i)] ==
                  static_cast<float>(words[static_cast<std::size_t>(i * per_word + j)]));
    }
    CHECK(put_together(words) == words);
}

TEST_CASE("numbers are rounded to bf16 as libtorch does") {
    if (!has_set<c10::BFloat16, CompiledFor>()) return;
    const auto numbers = awkward_numbers();
    const auto ours = stored(numbers, every_lane, c10::BFloat16(0));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        INFO(numbers[i]);
        const auto expected = static_cast<float>(c10::BFloat16(numbers[i]));
        const auto got = static_cast<float>(ours[i]);
        CHECK((got == expected || (std::isnan(got) && std::isnan(expected))));
    }
}

TEMPLATE_TEST_CASE("lanes that are not there are neither read nor written", "", float,
                   c10::BFloat16) {
    if (!has_set<TestType, CompiledFor>()) return;
    std::vector<float> numbers(lanes);
    std::iota(numbers.begin(), numbers.end(), 1.F);
    for (const unsigned there : {0x0U, 0x1U, 0xffU, 0xffffU, 0xff8U, 0x8001U, 0x7ffeU}) {
        INFO(there);
        const auto mask = static_cast<Mask>(there);
        const auto to = stored<TestType>(numbers, mask, TestType(-1.F));
        const auto from = read(to, mask);
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            const bool is_there = (there >> i & 1U) != 0;
            CHECK(static_cast<float>(to[i]) == (is_there ? numbers[i] : -1.F));
            CHECK(from[i] == (is_there ? numbers[i] : 0.F));
        }
    }
}

TEST_CASE("lanes move to the begin, and rows become columns") {
    if (!has_set<float, CompiledFor>()) return;
    std::vector<float> numbers(lanes);
    std::iota(numbers.begin(), numbers.end(), 1.F);
    for (const std::int64_t first : {0, 1, 6, 8, 15, 16}) {
        std::vector<float> expected(numbers.begin() + first, numbers.end());
        expected.resize(numbers.size());
        CHECK(behind(numbers, first) == expected);
    }
    std::vector<Word> matrix(lanes * lanes), expected(matrix.size());
    std::iota(matrix.begin(), matrix.end(), 0U);
    for (std::size_t i = 0; i < matrix.size(); ++i)
        expected[i % lanes * lanes + i / lanes] = matrix[i];
    CHECK(transposed(matrix) == expected);
}
