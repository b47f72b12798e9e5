#pragma once
/// The process mesh data x pipe x tensor: pure rank arithmetic (MeshShape) and the communicators
/// made from it (Mesh).
#include "civitas/comm/communicator.hpp"
#include "civitas/comm/links.hpp"

#include <string>
#include <string_view>

namespace civitas::comm {

enum class Axis { data, pipe, tensor };

/// Position of one rank in the mesh.
struct Coordinate {
    int data = 0;
    int pipe = 0;
    int tensor = 0;
    friend bool operator==(const Coordinate&, const Coordinate&) = default;
};

/// Extent of each axis. `tensor` varies fastest, so a tensor group sits inside one node.
struct MeshShape {
    int data = 1;
    int pipe = 1;
    int tensor = 1;

    [[nodiscard]] constexpr int size() const { return data * pipe * tensor; }
    [[nodiscard]] constexpr Coordinate coordinate(Rank r) const {
        const int i = index(r);
        return {.data = i / (pipe * tensor), .pipe = i / tensor % pipe, .tensor = i % tensor};
    }
    [[nodiscard]] constexpr Rank rank(Coordinate c) const {
        return Rank{(c.data * pipe + c.pipe) * tensor + c.tensor};
    }
    friend bool operator==(const MeshShape&, const MeshShape&) = default;
};

/// Reads `data=2,pipe=2,tensor=1` (any axis may be left out; one may be `auto`: what the ranks
/// leave to it). An empty text puts all `ranks` on the data axis. Throws UsageError when it cannot
/// be read or does not fit the number of ranks.
[[nodiscard]] MeshShape parse_mesh(std::string_view text, int ranks);
/// The same where there are no ranks yet: nothing is `auto`, an empty text is one rank.
[[nodiscard]] MeshShape parse_mesh(std::string_view text);
[[nodiscard]] std::string to_string(MeshShape shape);

/// This rank's place in the mesh, its communicator along each axis, and how tensors travel there.
class Mesh {
public:
    /// Collective over `world`. `links`: see make_links; without any, by host memory. Throws
    /// UsageError when the shape does not fit.
    Mesh(const Communicator& world, MeshShape shape, std::unique_ptr<Links> links = nullptr);

    [[nodiscard]] MeshShape shape() const { return shape_; }
    [[nodiscard]] Coordinate here() const { return here_; }
    [[nodiscard]] const Communicator& along(Axis axis) const;
    [[nodiscard]] const Communicator& world() const { return world_; }

    [[nodiscard]] const Links& links() const { return *links_; }
    /// For tensors along the data and the tensor axis. Only along the latter it is revocable: who
    /// fails outside of a sum of gradients has left all that was begun to its end.
    [[nodiscard]] const TensorExchange& exchange(Axis axis) const;
    /// For tensors in host memory, along the data axis.
    [[nodiscard]] const HostExchange& host_exchange() const { return *host_exchange_; }
    /// For messages along the pipe axis, which must not outlive the mesh. Collective along it.
    [[nodiscard]] std::unique_ptr<Transport> transport() const { return links_->transport(pipe_); }
    /// Ends what is on its way by the exchanges and by `transport`, once all ranks have given up
    /// what they did; a null transport has none. Collective.
    void drain(Transport* transport) const;

private:
    MeshShape shape_;
    Coordinate here_;
    Communicator world_, data_, pipe_, tensor_;
    std::unique_ptr<Links> links_;
    std::unique_ptr<TensorExchange> data_exchange_, tensor_exchange_;
    std::unique_ptr<HostExchange> host_exchange_;
};

}  // namespace civitas::comm
