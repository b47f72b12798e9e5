#include "civitas/comm/mesh.hpp"

namespace civitas::comm {
namespace {

/// One communicator for each axis. A group is named by its first rank, and ordered by the
/// coordinate along the axis. Collective.
std::vector<Communicator> groups_of(const Communicator& world, const MeshShape& shape) {
    std::vector<Communicator> groups;
    for (const Axis axis : all_axes)
        groups.push_back(world.split(index(shape.group(world.rank(), axis).front()),
                                     shape.coordinate(world.rank())[axis]));
    return groups;
}

MeshShape fitting(const MeshShape& shape, int ranks) {
    require_ranks(shape, ranks);
    return shape;
}

}  // namespace

Mesh::Mesh(const Communicator& world, const MeshShape& shape, std::unique_ptr<Links> links)
    : shape_(fitting(shape, world.size())),
      here_(shape_.coordinate(world.rank())),
      world_(world.dup()),
      groups_(groups_of(world, shape_)),
      links_(links ? std::move(links) : make_links(world_, at::kCPU)),
      data_exchange_(links_->exchange(along(Axis::data), Waiting::to_the_end)),
      tensor_exchange_(links_->exchange(along(Axis::tensor), Waiting::revocable)),
      host_exchange_(links_->host_exchange(along(Axis::data))) {}

const Communicator& Mesh::along(Axis axis) const {
    return groups_.at(static_cast<std::size_t>(axis));
}

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

}  // namespace civitas::comm
