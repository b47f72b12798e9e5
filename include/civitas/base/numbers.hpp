#pragma once
/// Integers that say what they count. index() gives the plain number.
#include <cstdint>
#include <type_traits>

namespace civitas {

enum class Rank : int {};
enum class MicroBatch : std::int64_t {};  ///< number of a micro-batch within a step, global
enum class Sample : std::int64_t {};      ///< number of a sample within a run, global
enum class TileIndex : std::int64_t {};   ///< row of a tile in its store
enum class StepIndex : std::int64_t {};   ///< number of a step within a run; the first is 0
enum class Seed : std::uint64_t {};

template <class E>
requires std::is_enum_v<E>
[[nodiscard]] constexpr std::underlying_type_t<E> index(E e) noexcept {
    return static_cast<std::underlying_type_t<E>>(e);
}

/// A contiguous run of numbers [begin, begin + count).
struct Range {
    std::int64_t begin = 0;
    std::int64_t count = 0;
    [[nodiscard]] constexpr std::int64_t end() const { return begin + count; }
    friend bool operator==(const Range&, const Range&) = default;
};

/// The part of [0, total) that belongs to `part` of `parts`: contiguous, in order, sizes differing
/// by one at most.
[[nodiscard]] constexpr Range block_range(std::int64_t total, int part, int parts) {
    const std::int64_t begin = total * part / parts;
    return {begin, total * (part + 1) / parts - begin};
}

}  // namespace civitas
