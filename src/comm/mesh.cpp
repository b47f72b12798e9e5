#include "civitas/comm/mesh.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <vector>

namespace civitas::comm {
namespace {

MeshShape fitting(MeshShape shape, int ranks) {
    if (shape.size() == ranks) return shape;
    const std::string launch = text("mpirun -n ", shape.size());
    const int rest = shape.pipe * shape.tensor;
    const Hint hint{ranks % rest == 0 ? text(launch, ", or --mesh ",
                                             to_string({ranks / rest, shape.pipe, shape.tensor}))
                                      : launch};
    throw UsageError(
        text("mesh ", to_string(shape), " needs ", shape.size(), " ranks, the job has ", ranks),
        hint);
}

/// Of all axes together; more than any machine has.
constexpr std::int64_t most_ranks = 1'000'000;

UsageError unreadable(std::string_view what) {
    return UsageError(text("cannot read '", what, "' as a part of a mesh"),
                      Hint{"--mesh data=2,pipe=2,tensor=1, with whole numbers from 1"});
}

int& extent_of(MeshShape& shape, std::string_view axis, std::string_view part) {
    if (axis == "data") return shape.data;
    if (axis == "pipe") return shape.pipe;
    if (axis == "tensor") return shape.tensor;
    throw unreadable(part);
}

constexpr int automatic = 0;  ///< extent of an axis that is `auto`

void read_part(MeshShape& shape, std::string_view part) {
    const auto equals = part.find('=');
    if (equals == std::string_view::npos) throw unreadable(part);
    int& extent = extent_of(shape, part.substr(0, equals), part);
    const auto digits = part.substr(equals + 1);
    if (digits == "auto") {
        extent = automatic;
        return;
    }
    const auto [end, error] = std::from_chars(digits.begin(), digits.end(), extent);
    if (error != std::errc{} || end != digits.end() || extent < 1) throw unreadable(part);
}

/// Nothing after a comma is a part, too: one that cannot be read.
MeshShape read(std::string_view words) {
    MeshShape shape;
    std::vector<std::string_view> seen;
    const std::string_view whole = words;
    for (bool more = !words.empty(); more;) {
        const auto comma = words.find(',');
        const auto part = words.substr(0, comma);
        read_part(shape, part);
        const auto axis = part.substr(0, part.find('='));
        if (std::find(seen.begin(), seen.end(), axis) != seen.end())
            throw UsageError(text("mesh ", whole, " says ", axis, " twice"),
                             Hint{text("--mesh ", part)});
        seen.push_back(axis);
        more = comma != std::string_view::npos;
        if (more) words.remove_prefix(comma + 1);
    }
    std::int64_t ranks = 1;
    for (const int extent : {shape.data, shape.pipe, shape.tensor}) {
        ranks *= std::max(extent, 1);
        if (ranks > most_ranks)
            throw UsageError(text("mesh ", whole, " is of more than ", most_ranks, " ranks"),
                             Hint{"--mesh data=2,pipe=2,tensor=1"});
    }
    return shape;
}

/// The open axis takes the ranks that the others leave.
MeshShape filled(MeshShape shape, std::string_view words, int ranks) {
    int* open = nullptr;
    int taken = 1;
    for (int* extent : {&shape.data, &shape.pipe, &shape.tensor}) {
        if (*extent != automatic) {
            taken *= *extent;
        } else if (open != nullptr) {
            throw UsageError(text("mesh ", words, ": only one axis can be auto"),
                             Hint{"data=auto,pipe=2"});
        } else {
            open = extent;
        }
    }
    if (open == nullptr) return shape;
    if (ranks % taken != 0)
        throw UsageError(
            text("mesh ", words, " needs a multiple of ", taken, " ranks, the job has ", ranks),
            Hint{text("mpirun -n ", taken * (ranks / taken + 1))});
    *open = ranks / taken;
    return shape;
}

}  // namespace

MeshShape parse_mesh(std::string_view words, int ranks) {
    if (words.empty()) return {.data = ranks};
    return fitting(filled(read(words), words, ranks), ranks);
}

MeshShape parse_mesh(std::string_view words) {
    const MeshShape shape = read(words);
    if (shape.size() == automatic)
        throw UsageError(text("mesh ", words, ": the number of ranks is not known here"),
                         Hint{"give every axis a number, or say --ranks"});
    return shape;
}

std::string to_string(MeshShape s) {
    return text("data=", s.data, ",pipe=", s.pipe, ",tensor=", s.tensor);
}

// Two ranks share an axis group when their coordinates agree on the other two axes: the group is
// named by the rank of its first member, and ordered by the coordinate along the axis.
Mesh::Mesh(const Communicator& world, MeshShape shape, std::unique_ptr<Links> links)
    : shape_(fitting(shape, world.size())),
      here_(shape_.coordinate(world.rank())),
      world_(world.dup()),
      data_(world.split(index(shape_.rank({0, here_.pipe, here_.tensor})), here_.data)),
      pipe_(world.split(index(shape_.rank({here_.data, 0, here_.tensor})), here_.pipe)),
      tensor_(world.split(index(shape_.rank({here_.data, here_.pipe, 0})), here_.tensor)),
      links_(links ? std::move(links) : make_links(world_, at::kCPU)),
      data_exchange_(links_->exchange(data_, Waiting::to_the_end)),
      tensor_exchange_(links_->exchange(tensor_, Waiting::revocable)),
      host_exchange_(links_->host_exchange(data_)) {}

const TensorExchange& Mesh::exchange(Axis axis) const {
    expect(axis != Axis::pipe, "messages go along the pipe, not slices");
    return axis == Axis::data ? *data_exchange_ : *tensor_exchange_;
}

void Mesh::drain(Transport* transport) const {
    if (transport != nullptr) transport->drain();
    tensor_exchange_->drain();
    host_exchange_->drain();
    links_->drain();
}

const Communicator& Mesh::along(Axis axis) const {
    switch (axis) {
        case Axis::data: return data_;
        case Axis::pipe: return pipe_;
        case Axis::tensor: return tensor_;
    }
    throw Error("unknown mesh axis");
}

}  // namespace civitas::comm
