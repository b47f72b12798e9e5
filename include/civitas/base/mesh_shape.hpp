#pragma once
/// The process mesh data x pipe x tensor as numbers: which rank is where, and who shares an axis.
/// A new axis is one more enumerator with its name.
#include "civitas/base/micro_batch.hpp"

#include <array>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace civitas {

/// The axes of the mesh, the slowest first: ranks that follow each other differ along the last one,
/// so a tensor group sits inside one node.
enum class Axis { data, pipe, tensor };
inline constexpr std::array all_axes{Axis::data, Axis::pipe, Axis::tensor};
inline constexpr std::array<std::string_view, all_axes.size()> axis_names{"data", "pipe", "tensor"};
[[nodiscard]] constexpr std::string_view name_of(Axis axis) {
    return axis_names[static_cast<std::size_t>(axis)];
}

/// A number said of one axis.
struct AlongAxis {
    Axis axis{};
    int number = 0;
};

/// A whole number for every axis, `unsaid` where nothing else is said.
template <int unsaid>
class PerAxis {
public:
    constexpr PerAxis() { numbers_.fill(unsaid); }
    constexpr PerAxis(std::initializer_list<AlongAxis> said) : PerAxis() {
        for (const auto& [axis, number] : said) (*this)[axis] = number;
    }
    [[nodiscard]] constexpr int& operator[](Axis axis) {
        return numbers_[static_cast<std::size_t>(axis)];
    }
    [[nodiscard]] constexpr int operator[](Axis axis) const {
        return numbers_[static_cast<std::size_t>(axis)];
    }
    friend bool operator==(const PerAxis&, const PerAxis&) = default;

private:
    std::array<int, all_axes.size()> numbers_{};
};

/// Position of one rank in the mesh: `Coordinate{{Axis::pipe, 1}}`.
struct Coordinate : PerAxis<0> {
    using PerAxis::PerAxis;

    [[nodiscard]] constexpr PipeCoordinate pipe() const {
        return PipeCoordinate{(*this)[Axis::pipe]};
    }
};

/// Extent of each axis: `MeshShape{{Axis::data, 2}, {Axis::pipe, 4}}`.
struct MeshShape : PerAxis<1> {
    using PerAxis::PerAxis;

    [[nodiscard]] constexpr int size() const {
        int ranks = 1;
        for (const Axis axis : all_axes) ranks *= (*this)[axis];
        return ranks;
    }
    [[nodiscard]] constexpr Coordinate coordinate(Rank rank) const {
        Coordinate at;
        int slower = size();
        int rest = index(rank);
        for (const Axis axis : all_axes) {
            slower /= (*this)[axis];
            at[axis] = rest / slower;
            rest %= slower;
        }
        return at;
    }
    [[nodiscard]] constexpr Rank rank(const Coordinate& at) const {
        int number = 0;
        for (const Axis axis : all_axes) number = number * (*this)[axis] + at[axis];
        return Rank{number};
    }
    /// The ranks whose coordinates are those of `rank` but along `axis`, with it, ascending.
    [[nodiscard]] std::vector<Rank> group(Rank rank, Axis axis) const;
    /// The first rank of every group along an axis, ascending.
    [[nodiscard]] std::vector<Rank> first_of_groups(Axis axis) const;
};

/// The micro-batches of a step that the rank at `here` computes.
[[nodiscard]] MicroBatchShare own_micro_batches(std::int64_t micro_batches, const MeshShape& mesh,
                                                const Coordinate& here,
                                                Sharing sharing = Sharing::contiguous);

/// All shapes of so many ranks with so many of them along the tensor axis, by growing pipe axis.
/// Precondition: the tensor axis divides the ranks.
[[nodiscard]] std::vector<MeshShape> shapes_of(int ranks, int tensor);

/// How messages tell of the number of ranks: who says it, and what says another.
struct RanksSaid {
    std::string_view by = "the job has ", option = "mpirun -n ";
};

/// A mesh as a user asks for it: `data=2,pipe=2,tensor=1`. Any axis may be left out, and one may be
/// `auto`: it takes the ranks that the others leave. Nothing said puts all ranks on the data axis.
class MeshRequest {
public:
    MeshRequest() = default;
    /// Reads words such as `data=2,pipe=2`. Throws UsageError for what cannot be read.
    explicit MeshRequest(std::string words);

    [[nodiscard]] bool empty() const { return words_.empty(); }
    /// The mesh of `ranks` ranks. Throws UsageError when it does not fit them.
    [[nodiscard]] MeshShape of_ranks(int ranks, RanksSaid said = {}) const;
    /// The mesh where there are no ranks yet: one rank if nothing was said. Throws UsageError for
    /// `auto`.
    [[nodiscard]] MeshShape of_itself() const;
    /// The words that the request was read from.
    [[nodiscard]] const std::string& words() const { return words_; }

private:
    std::string words_;
    MeshShape shape_;  ///< 0 along an axis that is `auto`
};

/// The mesh in words: `data=2,pipe=2,tensor=1`.
[[nodiscard]] std::string to_string(const MeshShape& shape);
[[nodiscard]] std::string to_string(const Coordinate& at);

/// Throws UsageError unless the mesh is one of `ranks` ranks.
void require_ranks(const MeshShape& shape, int ranks, RanksSaid said = {});

}  // namespace civitas
