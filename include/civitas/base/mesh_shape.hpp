#pragma once
/// The process mesh data x pipe x tensor as numbers: which rank is where, and who shares an axis.
/// A new axis is one more enumerator with its name.
#include "civitas/base/numbers.hpp"

#include <array>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace civitas {

/// The slowest axis first: ranks that follow each other differ along the last one, so a tensor
/// group sits inside one node.
enum class Axis { data, pipe, tensor };
inline constexpr std::array all_axes{Axis::data, Axis::pipe, Axis::tensor};
inline constexpr std::array<std::string_view, all_axes.size()> axis_names{"data", "pipe", "tensor"};
[[nodiscard]] constexpr std::string_view name_of(Axis axis) {
    return axis_names[static_cast<std::size_t>(axis)];
}

/// What is said of one axis.
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
    /// The ranks whose coordinates are those of `rank` but along `axis`, `rank` among them,
    /// ascending.
    [[nodiscard]] std::vector<Rank> group(Rank rank, Axis axis) const;
    /// The first rank of every group along an axis, ascending.
    [[nodiscard]] std::vector<Rank> first_of_groups(Axis axis) const;
};

/// Reads `data=2,pipe=2,tensor=1` (any axis may be left out; one may be `auto`: what the ranks
/// leave to it). An empty text puts all `ranks` on the data axis. Throws UsageError when it cannot
/// be read or does not fit the number of ranks.
[[nodiscard]] MeshShape parse_mesh(std::string_view text, int ranks);
/// The same where there are no ranks yet: nothing is `auto`, an empty text is one rank.
[[nodiscard]] MeshShape parse_mesh(std::string_view text);
/// `data=2,pipe=2,tensor=1`
[[nodiscard]] std::string to_string(const MeshShape& shape);
[[nodiscard]] std::string to_string(const Coordinate& at);

/// Throws UsageError when the mesh is not of so many ranks.
void require_ranks(const MeshShape& shape, int ranks);

}  // namespace civitas
