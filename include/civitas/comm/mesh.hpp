#pragma once
/// The communicators of a process mesh.
#include "civitas/base/mesh_shape.hpp"
#include "civitas/comm/communicator.hpp"
#include "civitas/comm/links.hpp"

#include <memory>
#include <vector>

namespace civitas::comm {

/// This rank's place in the mesh, its communicator along each axis, and how tensors travel there.
class Mesh {
public:
    /// Collective over `world`. `links`: see make_links; without any, by host memory. Throws
    /// UsageError when the shape does not fit.
    Mesh(const Communicator& world, const MeshShape& shape, std::unique_ptr<Links> links = nullptr);

    [[nodiscard]] const MeshShape& shape() const { return shape_; }
    [[nodiscard]] const Coordinate& here() const { return here_; }
    [[nodiscard]] const Communicator& along(Axis axis) const;
    [[nodiscard]] const Communicator& world() const { return world_; }

    [[nodiscard]] const Links& links() const { return *links_; }
    /// For tensors along the data and the tensor axis. Only along the latter it is revocable: who
    /// fails outside of a sum of gradients has left all that was begun to its end.
    [[nodiscard]] const TensorExchange& exchange(Axis axis) const;
    /// For tensors in host memory, along the data axis.
    [[nodiscard]] const HostExchange& host_exchange() const { return *host_exchange_; }
    /// For messages along the pipe axis, which must not outlive the mesh. Collective along it.
    [[nodiscard]] std::unique_ptr<Transport> transport() const {
        return links_->transport(along(Axis::pipe));
    }
    /// Ends what is on its way by the exchanges and by `transport`, once all ranks have given up
    /// what they did; a null transport has none. Collective.
    void drain(Transport* transport) const;

private:
    MeshShape shape_;
    Coordinate here_;
    Communicator world_;
    std::vector<Communicator> groups_;  ///< by axis
    std::unique_ptr<Links> links_;
    std::unique_ptr<TensorExchange> data_exchange_, tensor_exchange_;
    std::unique_ptr<HostExchange> host_exchange_;
};

}  // namespace civitas::comm
