#pragma once
/// The order in which sums are made, whoever makes them: a binary tree over [0, n) that splits a
/// range at the largest power of two below its length. A binary counter makes the same tree, so
/// terms may arrive one by one.
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

namespace civitas {

/// Where the tree splits n > 1 terms: the left child has this many.
[[nodiscard]] constexpr std::int64_t tree_split(std::int64_t n) {
    return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(n - 1)));
}

/// The sum S(first, count) of `count` terms from `first` on in tree order:
///   S(i, 1) = term(i),  S(i, n) = add(S(i, k), S(i + k, n - k)) with k = tree_split(n).
template <class Term, class Add>
[[nodiscard]] auto tree_sum(std::int64_t first, std::int64_t count, Term&& term, Add&& add)
    -> decltype(term(first)) {
    if (count == 1) return term(first);
    const std::int64_t left = tree_split(count);
    auto a = tree_sum(first, left, term, add);
    auto b = tree_sum(first + left, count - left, term, add);
    return add(std::move(a), std::move(b));
}

/// The sum of plain numbers in tree order; 0 when there are none.
template <class T>
[[nodiscard]] T tree_sum(const std::vector<T>& terms) {
    if (terms.empty()) return T{};
    return tree_sum(
        0, static_cast<std::int64_t>(terms.size()),
        [&](std::int64_t i) { return terms[static_cast<std::size_t>(i)]; },
        [](T a, T b) { return a + b; });
}

/// How many partial sums a binary counter merges when term number `arrived` (from 0) has come: the
/// trailing ones of the number.
[[nodiscard]] constexpr int tree_merges(std::int64_t arrived) {
    return std::countr_one(static_cast<std::uint64_t>(arrived));
}

/// Most partial sums that a binary counter holds at once while n terms arrive, the newest included.
[[nodiscard]] constexpr int tree_depth(std::int64_t n) {
    return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n)));
}

}  // namespace civitas
