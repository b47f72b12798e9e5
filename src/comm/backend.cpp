#include "civitas/comm/backend.hpp"

#include "nccl.hpp"

#include "civitas/comm/agree.hpp"
#include "civitas/comm/mpi_point_to_point.hpp"
#include "civitas/comm/node_collectives.hpp"

#include <map>
#include <optional>

namespace civitas::comm {
namespace {

class HostBackend final : public Backend {
public:
    HostBackend(const Communicator& world, std::string why, const std::optional<NodeMap>& nodes)
        : revocation_(std::make_unique<Revocation>(world)),
          why_(std::move(why)),
          node_(nodes ? std::optional(nodes->node_of(world.rank())) : std::nullopt) {}
    [[nodiscard]] std::unique_ptr<TensorCollectives> collectives(
        const Communicator& axis) const override {
        return mpi_collectives(axis);
    }
    [[nodiscard]] std::unique_ptr<TensorCollectives> node_collectives(
        const Communicator& axis) const override {
        if (!node_ || nodes_of(axis, *node_).fewest_ranks() == 1) return collectives(axis);
        return std::make_unique<NodeCollectives>(axis, *node_, *revocation_);
    }
    [[nodiscard]] std::unique_ptr<MpiCollectives> mpi_collectives(
        const Communicator& axis) const override {
        return std::make_unique<MpiCollectives>(axis, revocation_.get());
    }
    [[nodiscard]] std::unique_ptr<PointToPoint> transport(const Communicator& axis) const override {
        return std::make_unique<MpiPointToPoint>(axis, revocation_.get());
    }
    [[nodiscard]] bool can_revoke() const override { return true; }
    void revoke() const override { revocation_->revoke(); }
    void drain() const override { revocation_->drain(); }
    [[nodiscard]] std::string name() const override { return "host memory" + why_; }

private:
    std::unique_ptr<Revocation> revocation_;
    std::string why_;
    std::optional<int> node_;  ///< of this rank; none where no ranks share memory
};

/// Why the ranks cannot all have a GPU of their own; nothing when they have.
std::optional<std::string> obstacle(const std::vector<std::string>& gpus) {
    std::map<std::string, std::size_t> owners;
    for (std::size_t rank = 0; rank < gpus.size(); ++rank) {
        if (gpus[rank].empty()) return text(" (rank ", rank, " computes on the CPU)");
        const auto [owner, first] = owners.try_emplace(gpus[rank], rank);
        if (!first) return text(" (ranks ", owner->second, " and ", rank, " share a GPU)");
    }
    return std::nullopt;
}

}  // namespace

std::unique_ptr<Backend> choose_backend(const Communicator& world, at::Device device,
                                        const std::optional<NodeMap>& nodes) {
    if (world.size() == 1) return std::make_unique<HostBackend>(world, "", nodes);
    const std::string gpu = agree(world, [&] { return device.is_cuda() ? gpu_id(device) : ""; });
    if (const auto why = obstacle(world.all_gather(gpu)))
        return std::make_unique<HostBackend>(world, *why, nodes);
    try {
        return nccl_links(world, device);
    } catch (const AgreedError& e) {
        return std::make_unique<HostBackend>(world, text(" (NCCL does not start: ", e.what(), ")"),
                                             nodes);
    }
}

}  // namespace civitas::comm
