#pragma once
/// The communicators of a process mesh.
#include "civitas/base/mesh_shape.hpp"
#include "civitas/comm/backend.hpp"
#include "civitas/comm/communicator.hpp"

#include <memory>
#include <vector>

namespace civitas::comm {

/// A communicator along the pipe axis numbers its ranks by their pipe coordinates, so that each of
/// the two gives the other. They are turned into each other here and nowhere else.
[[nodiscard]] constexpr Rank rank_on_pipe(PipeCoordinate at) { return Rank{index(at)}; }
[[nodiscard]] constexpr PipeCoordinate place_on_pipe(Rank rank) {
    return PipeCoordinate{index(rank)};
}

/// This rank's place in the mesh, its communicator along each axis, and how tensors travel there.
class Mesh {
public:
    /// Makes the communicators of a mesh. Collective over `world`. `backend`: see choose_backend;
    /// without any, tensors travel by host memory, which ranks of a machine share. Throws
    /// UsageError when the shape does not fit.
    Mesh(const Communicator& world, const MeshShape& shape,
         std::unique_ptr<Backend> backend = nullptr);

    [[nodiscard]] const MeshShape& shape() const { return shape_; }
    [[nodiscard]] const Coordinate& coordinate() const { return coordinate_; }
    [[nodiscard]] const Communicator& group(Axis axis) const;
    [[nodiscard]] const Communicator& world() const { return world_; }

    [[nodiscard]] const Backend& backend() const { return *backend_; }
    /// Exchanges of tensors along the data or the tensor axis, revocable where the backend can
    /// revoke.
    [[nodiscard]] const TensorCollectives& collectives(Axis axis) const;
    /// Exchanges of tensors in host memory, along the data axis.
    [[nodiscard]] const MpiCollectives& mpi_collectives() const { return *mpi_collectives_; }
    /// Makes what carries messages along the pipe axis; it must not outlive the mesh. Collective
    /// along that axis.
    [[nodiscard]] std::unique_ptr<PointToPoint> transport() const {
        return backend_->transport(group(Axis::pipe));
    }
    /// Ends what is on its way by the exchanges and by `transport`, once all ranks have given up
    /// what they did; a null transport has none. Collective.
    void drain(PointToPoint* transport) const;

private:
    MeshShape shape_;
    Coordinate coordinate_;
    Communicator world_;
    std::vector<Communicator> groups_;  ///< by axis
    std::unique_ptr<Backend> backend_;
    std::unique_ptr<TensorCollectives> data_collectives_, tensor_collectives_;
    std::unique_ptr<MpiCollectives> mpi_collectives_;
};

}  // namespace civitas::comm
