#include "civitas/base/mesh_shape.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace civitas {
namespace {

/// Of all axes together; more than any machine has.
constexpr std::int64_t most_ranks = 1'000'000;

UsageError unreadable(std::string_view what) {
    return UsageError(text("cannot read '", what, "' as a part of a mesh"),
                      Hint{"--mesh data=2,pipe=2,tensor=1, with whole numbers from 1"});
}

int& extent_of(MeshShape& shape, std::string_view axis, std::string_view part) {
    for (const Axis known : all_axes)
        if (axis == name_of(known)) return shape[known];
    throw unreadable(part);
}

constexpr int automatic = 0;  ///< extent of an axis that is `auto`

int read_extent(std::string_view digits, std::string_view part) {
    if (digits == "auto") return automatic;
    int extent = 0;
    const auto [end, error] = std::from_chars(digits.begin(), digits.end(), extent);
    if (error != std::errc{} || end != digits.end() || extent < 1) throw unreadable(part);
    return extent;
}

template <int unsaid>
std::string in_words(const PerAxis<unsaid>& numbers) {
    return join(all_axes, ",", [&](Axis axis) { return text(name_of(axis), '=', numbers[axis]); });
}

/// Nothing after a comma is a part, too: one that cannot be read.
MeshShape read(std::string_view words) {
    MeshShape shape;
    std::vector<std::string_view> seen;
    const std::string_view whole = words;
    for (bool more = !words.empty(); more;) {
        const auto comma = words.find(',');
        const auto part = words.substr(0, comma);
        const auto equals = part.find('=');
        if (equals == std::string_view::npos) throw unreadable(part);
        const auto axis = part.substr(0, equals);
        extent_of(shape, axis, part) = read_extent(part.substr(equals + 1), part);
        if (std::find(seen.begin(), seen.end(), axis) != seen.end())
            throw UsageError(text("mesh ", whole, " says ", axis, " twice"),
                             Hint{text("--mesh ", part)});
        seen.push_back(axis);
        more = comma != std::string_view::npos;
        if (more) words.remove_prefix(comma + 1);
    }
    std::int64_t ranks = 1;
    for (const Axis axis : all_axes) {
        ranks *= std::max(shape[axis], 1);
        if (ranks > most_ranks)
            throw UsageError(text("mesh ", whole, " is of more than ", most_ranks, " ranks"),
                             Hint{"--mesh data=2,pipe=2,tensor=1"});
    }
    return shape;
}

/// The open axis takes the ranks that the others leave.
MeshShape filled(MeshShape shape, std::string_view words, int ranks, RanksSaid said) {
    std::optional<Axis> open;
    int taken = 1;
    for (const Axis axis : all_axes) {
        if (shape[axis] != automatic) {
            taken *= shape[axis];
        } else if (open) {
            throw UsageError(text("mesh ", words, ": only one axis can be auto"),
                             Hint{"data=auto,pipe=2"});
        } else {
            open = axis;
        }
    }
    if (!open) return shape;
    if (ranks % taken != 0)
        throw UsageError(
            text("mesh ", words, " needs a multiple of ", taken, " ranks, ", said.by, ranks),
            Hint{text(said.option, taken * (ranks / taken + 1))});
    shape[*open] = ranks / taken;
    return shape;
}

}  // namespace

std::vector<Rank> MeshShape::group(Rank rank, Axis axis) const {
    Coordinate at = coordinate(rank);
    std::vector<Rank> ranks;
    for (at[axis] = 0; at[axis] < (*this)[axis]; ++at[axis]) ranks.push_back(this->rank(at));
    return ranks;
}

MicroBatchShare own_micro_batches(std::int64_t micro_batches, const MeshShape& mesh,
                                  const Coordinate& here, Sharing sharing) {
    return {micro_batches, here[Axis::data], mesh[Axis::data], sharing};
}

std::vector<Rank> MeshShape::first_of_groups(Axis axis) const {
    std::vector<Rank> first;
    for (int r = 0; r < size(); ++r)
        if (coordinate(Rank{r})[axis] == 0) first.push_back(Rank{r});
    return first;
}

std::vector<MeshShape> shapes_of(int ranks, int tensor) {
    std::vector<MeshShape> shapes;
    for (int pipe = 1; pipe <= ranks / tensor; ++pipe)
        if (ranks / tensor % pipe == 0)
            shapes.push_back(
                {{Axis::data, ranks / tensor / pipe}, {Axis::pipe, pipe}, {Axis::tensor, tensor}});
    return shapes;
}

MeshRequest::MeshRequest(std::string words) : words_(std::move(words)), shape_(read(words_)) {}

MeshShape MeshRequest::of_ranks(int ranks, RanksSaid said) const {
    if (empty()) return {{Axis::data, ranks}};
    const MeshShape shape = filled(shape_, words_, ranks, said);
    require_ranks(shape, ranks, said);
    return shape;
}

MeshShape MeshRequest::of_itself() const {
    if (shape_.size() == automatic)
        throw UsageError(text("mesh ", words_, ": the number of ranks is not known here"),
                         Hint{"give every axis a number, or say --ranks"});
    return shape_;
}

std::string to_string(const MeshShape& shape) { return in_words(shape); }
std::string to_string(const Coordinate& at) { return in_words(at); }

void require_ranks(const MeshShape& shape, int ranks, RanksSaid said) {
    if (shape.size() == ranks) return;
    std::string way_out = text(said.option, shape.size());
    MeshShape other = shape;
    const int rest = shape.size() / shape[Axis::data];
    other[Axis::data] = ranks / rest;
    if (ranks % rest == 0) way_out += ", or --mesh " + to_string(other);
    throw UsageError(
        text("mesh ", to_string(shape), " needs ", shape.size(), " ranks, ", said.by, ranks),
        Hint{way_out});
}

}  // namespace civitas
