#pragma once
/// Elementary functions made of sums, products and quotients in double alone, which IEEE 754 rounds
/// alike on every processor, one at a time or in vectors; those of a C library differ in last bits
/// from one version, and one processor, to another. They are exact but for a few last bits.
#include "civitas/base/vectorised.hpp"

#include <bit>
#include <cstdint>
#include <numbers>

namespace civitas {

/// The sum of coefficient(i) x^i over i < terms.
template <int terms, class Coefficient>
CIVITAS_VECTOR_BODY double polynomial(double x, Coefficient coefficient) {
    double sum = coefficient(terms - 1);
#pragma GCC unroll 16
    for (int i = terms - 2; i >= 0; --i) sum = sum * x + coefficient(i);
    return sum;
}

/// The natural logarithm of a positive normal number, 2^k m with m in [sqrt(1/2), sqrt(2)):
/// ln m = 2 artanh s, s = (m - 1) / (m + 1), by the series of Abramowitz and Stegun, 4.1.27.
CIVITAS_VECTOR_BODY double logarithm(double x) {
    constexpr auto one = std::bit_cast<std::uint64_t>(1.0);
    constexpr auto least = std::bit_cast<std::uint64_t>(0.5 * std::numbers::sqrt2);
    constexpr int digits = 52, bias = 1023;
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(x) + (one - least);
    // The bits of 2^52 + i are those of 2^52 and of i: no other conversion is a vector instruction.
    constexpr double integers = 0x1p52;
    const std::uint64_t exponent = std::bit_cast<std::uint64_t>(integers) | bits >> digits;
    const double k = std::bit_cast<double>(exponent) - (integers + bias);
    const std::uint64_t fraction = bits & ((std::uint64_t{1} << digits) - 1);
    const double m = std::bit_cast<double>(fraction + least);
    const double s = (m - 1) / (m + 1);
    const auto artanh = polynomial<11>(s * s, [](int i) { return 1.0 / (2 * i + 1); });
    return k * std::numbers::ln2 + 2 * s * artanh;
}

struct CosineAndSine {
    double cosine, sine;
};

/// Those of 2 pi `turns`, turns in [0, 1]: by Taylor's series of what is left of the nearest
/// quarter of a turn (Abramowitz and Stegun, 4.3.65 and 4.3.66).
CIVITAS_VECTOR_BODY CosineAndSine cosine_and_sine(double turns) {
    constexpr double integers = 0x1.8p52;  // beside which numbers are rounded to integers
    const double quarter = (4 * turns + integers) - integers;
    const double x = (4 * turns - quarter) * (std::numbers::pi / 2);
    const auto coefficient = [](int n) {
        double factorial = 1;
        for (int i = 2; i <= n; ++i) factorial *= i;
        return (n / 2 % 2 == 0 ? 1 : -1) / factorial;
    };
    const double sine = x * polynomial<9>(x * x, [&](int i) { return coefficient(2 * i + 1); });
    const double cosine = polynomial<9>(x * x, [&](int i) { return coefficient(2 * i); });
    const bool is_1 = quarter == 1, is_2 = quarter == 2, is_3 = quarter == 3;
    const bool swapped = is_1 | is_3;
    const double across = swapped ? sine : cosine;
    const double up = swapped ? cosine : sine;
    return {(is_1 | is_2) ? -across : across, (is_2 | is_3) ? -up : up};
}

}  // namespace civitas
