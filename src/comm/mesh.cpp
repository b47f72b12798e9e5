#include "civitas/comm/mesh.hpp"

#include "civitas/comm/node_map.hpp"

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

Mesh::Mesh(const Communicator& world, const MeshShape& shape, std::unique_ptr<Backend> backend)
    : shape_(fitting(shape, world.size())),
      coordinate_(shape_.coordinate(world.rank())),
      world_(world.dup()),
      groups_(groups_of(world, shape_)),
      backend_(backend ? std::move(backend) : choose_backend(world_, at::kCPU, node_map(world_))),
      data_collectives_(backend_->node_collectives(group(Axis::data))),
      tensor_collectives_(backend_->collectives(group(Axis::tensor))),
      mpi_collectives_(backend_->mpi_collectives(group(Axis::data))) {}

const Communicator& Mesh::group(Axis axis) const {
    return groups_.at(static_cast<std::size_t>(axis));
}

const TensorCollectives& Mesh::collectives(Axis axis) const {
    ensure(axis != Axis::pipe, "messages go along the pipe, not slices");
    return axis == Axis::data ? *data_collectives_ : *tensor_collectives_;
}

void Mesh::drain(PointToPoint* transport) const {
    if (transport != nullptr) transport->drain();
    data_collectives_->drain();
    tensor_collectives_->drain();
    mpi_collectives_->drain();
    backend_->drain();
}

}  // namespace civitas::comm
