#include "civitas/simd/product.hpp"

#include "support/tensor.hpp"

#include "civitas/simd/number_type.hpp"

#include <bit>
#include <cmath>
#include <functional>
#include <vector>

using namespace civitas::simd;

namespace {

/// Where words of a row are neighbours, tiles multiply them if the processor has any.
enum class Layout { rows, columns };

/// A product of words; what it multiplies has room for whole rows of both layouts.
struct Factors {
    std::int64_t rows, words;
    std::vector<Word> left, right;

    [[nodiscard]] Rows as(Layout layout) const {
        if (layout == Layout::rows) return {left.data(), words, 1};
        return {left.data(), 1, rows};
    }
};

template <class T>
Word word_of(const std::function<float()>& number) {
    if constexpr (numbers_per_word<T> == 1)
        return std::bit_cast<Word>(number());
    else
        return c10::BFloat16(number()).x | static_cast<Word>(c10::BFloat16(number()).x) << 16U;
}

template <class T>
Factors factors_of(std::int64_t rows, std::int64_t words, const std::function<float()>& number) {
    Factors made{rows, words, {}, {}};
    for (std::int64_t i = 0; i < rows * words; ++i) made.left.push_back(word_of<T>(number));
    for (std::int64_t i = 0; i < words * panel; ++i) made.right.push_back(word_of<T>(number));
    return made;
}

template <class T>
double product_of(Word a, Word b) {
    if constexpr (numbers_per_word<T> == 1)
        return double{std::bit_cast<float>(a)} * double{std::bit_cast<float>(b)};
    const auto upper = [](Word w) { return double{std::bit_cast<float>(w & 0xffff0000U)}; };
    return upper(a) * upper(b) + upper(a << 16U) * upper(b << 16U);
}

/// By definition, in doubles.
template <class T>
std::vector<float> expected(const Factors& f, Layout layout, float begun) {
    const Rows a = f.as(layout);
    std::vector<float> c;
    for (std::int64_t m = 0; m < f.rows; ++m)
        for (std::int64_t n = 0; n < panel; ++n) {
            double sum = begun;
            for (std::int64_t k = 0; k < f.words; ++k)
                sum += product_of<T>(a.data[m * a.row + k * a.word],
                                     f.right[static_cast<std::size_t>(k * panel + n)]);
            c.push_back(static_cast<float>(sum));
        }
    return c;
}

template <class T>
std::vector<float> multiplied(const Factors& f, Layout layout, float begun, Sum sum) {
    std::vector<float> c(static_cast<std::size_t>(f.rows * panel), begun);
    multiply<T>(f.rows, f.as(layout), f.right.data(), f.words, c.data(), sum);
    return c;
}

/// 0, 1, 2, ... 6, -3, -2, ...: sums are exact.
std::function<float()> small_integers() {
    return [i = 0]() mutable { return static_cast<float>(++i * 7 % 10 - 3); };
}

}  // namespace

TEMPLATE_TEST_CASE("products of words are those of doubles", "", float, c10::BFloat16) {
    if (!has_set<TestType, CompiledFor>()) return;
    for (const std::int64_t rows : {1, 14, 16, 17, 32, 33, 96})
        for (const std::int64_t words : {1, 15, 16, 17, 40, 144})
            for (const Layout layout : {Layout::rows, Layout::columns}) {
                const Factors f = factors_of<TestType>(rows, words, small_integers());
                INFO(rows << " rows, " << words << " words");
                CHECK(multiplied<TestType>(f, layout, NAN, Sum::begins) ==
                      expected<TestType>(f, layout, 0));
                CHECK(multiplied<TestType>(f, layout, 5, Sum::goes_on) ==
                      expected<TestType>(f, layout, 5));
            }
}

TEST_CASE("the bits of a product depend on neither its rows nor on where its sum went on") {
    if (!has_set<c10::BFloat16, CompiledFor>()) return;
    constexpr std::int64_t rows = 50, words = 72, first = 48;
    const auto thirds = [i = 0]() mutable { return static_cast<float>(++i * 31 % 1000) / 3; };
    const Factors f = factors_of<c10::BFloat16>(rows, words, thirds);
    const std::vector<float> whole = multiplied<c10::BFloat16>(f, Layout::rows, 0, Sum::begins);
    std::vector<float> parts(whole.size());
    for (std::int64_t row = 0; row < rows; ++row) {
        const Rows one{f.left.data() + row * words, words, 1};
        const Rows rest{one.data + first, words, 1};
        float* const c = parts.data() + row * panel;
        multiply<c10::BFloat16>(1, one, f.right.data(), first, c);
        multiply<c10::BFloat16>(1, rest, f.right.data() + first * panel, words - first, c,
                                Sum::goes_on);
    }
    CHECK(parts == whole);
}
