#include "civitas/simd/number_type.hpp"
#include "civitas/simd/vectors.hpp"

#include <catch2/catch.hpp>

#include <c10/core/ScalarType.h>
#include <algorithm>
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
[[CIVITAS_AVX512]] Numbers<T> loaded(const Numbers<T>& from, std::int64_t count) {
    Numbers<T> to(from.size());
    _mm512_storeu_si512(to.data(), load_words(from.data(), count));
    return to;
}

/// The numbers of words, taken apart and put together again.
template <class T>
[[CIVITAS_AVX512]] Numbers<T> put_together(const Numbers<T>& from) {
    Numbers<T> to(from.size());
    const __m512i words = _mm512_loadu_si512(from.data());
    __m512 numbers[numbers_per_word<T>];
    for (std::int64_t j = 0; j < numbers_per_word<T>; ++j) numbers[j] = number_of(words, j, T());
    _mm512_storeu_si512(to.data(), words_of_numbers(numbers));
    return to;
}

/// Number j of each word, in fp32.
template <class T>
[[CIVITAS_AVX512]] std::vector<float> taken_apart(const Numbers<T>& from, std::int64_t j) {
    std::vector<float> to(lanes);
    _mm512_storeu_ps(to.data(), number_of(_mm512_loadu_si512(from.data()), j, T()));
    return to;
}

}  // namespace

TEMPLATE_TEST_CASE("words of a row have its numbers, and zeros behind", "", float, c10::BFloat16) {
    if (!multiplies_vectors_of(c10::CppTypeToScalarType<TestType>::value)) return;
    const auto row = first_numbers<TestType>(2 * lanes);
    for (const std::int64_t count : {-3, 0, 1, 15, 16, 17, 31, 32, 40}) {
        INFO(count << " numbers");
        CHECK(loaded(row, count) == first_numbers<TestType>(count));
    }
}

TEMPLATE_TEST_CASE("numbers of words are neighbours, which make the same words again", "", float,
                   c10::BFloat16) {
    if (!multiplies_vectors_of(c10::CppTypeToScalarType<TestType>::value)) return;
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
