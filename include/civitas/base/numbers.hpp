#pragma once
/// Integers that say what they count. index() gives the plain number, each() a run of them.
#include <cstdint>
#include <type_traits>

namespace civitas {

enum class Rank : int {};
enum class MicroBatch : std::int64_t {};  ///< number of a micro-batch within a step, global
enum class Sample : std::int64_t {};      ///< number of a sample within a run, global
enum class TileIndex : std::int64_t {};   ///< row of a tile in its store
enum class StepIndex : std::int64_t {};   ///< number of a step within a run; the first is 0
enum class Seed : std::uint64_t {};
enum class StageId : int {};         ///< number of a stage of a net, counted from the input
enum class PipeCoordinate : int {};  ///< a place on the pipe axis

inline constexpr StageId first_stage{0};
/// Returns the stage that gives the output of a net, which has so many stages.
[[nodiscard]] constexpr StageId last_stage(int stages) { return StageId{stages - 1}; }

template <class E>
requires std::is_enum_v<E>
[[nodiscard]] constexpr std::underlying_type_t<E> index(E e) noexcept {
    return static_cast<std::underlying_type_t<E>>(e);
}

/// Returns the number that follows.
template <class E>
requires std::is_enum_v<E>
[[nodiscard]] constexpr E next(E e) noexcept { return static_cast<E>(index(e) + 1); }
/// Returns the number before.
template <class E>
requires std::is_enum_v<E>
[[nodiscard]] constexpr E previous(E e) noexcept { return static_cast<E>(index(e) - 1); }

/// The numbers from 0 to a count, for a range-based for to go through; made by each().
template <class E>
class IndexRange {
public:
    struct Iterator {
        E at;
        constexpr E operator*() const { return at; }
        constexpr Iterator& operator++() {
            at = next(at);
            return *this;
        }
        friend constexpr bool operator==(const Iterator&, const Iterator&) = default;
    };
    constexpr explicit IndexRange(std::int64_t count) : count_(count) {}
    [[nodiscard]] constexpr Iterator begin() const { return {E{0}}; }
    [[nodiscard]] constexpr Iterator end() const { return {static_cast<E>(count_)}; }

private:
    std::int64_t count_;
};
/// Counts from 0 to count - 1: `for (const StageId stage : each<StageId>(stages))`.
template <class E>
[[nodiscard]] constexpr IndexRange<E> each(std::int64_t count) {
    return IndexRange<E>(count);
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
