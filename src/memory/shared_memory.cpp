#include "civitas/memory/shared_memory.hpp"

#include "gpu_memory.hpp"

#include "civitas/comm/node_memory.hpp"

#include <ATen/ops/from_blob.h>
#include <algorithm>

namespace civitas::memory {
namespace {

class NodeSharedMemory final : public SharedMemory {
public:
    explicit NodeSharedMemory(const comm::Communicator& ranks) : SharedMemory(ranks) {}
    [[nodiscard]] at::Tensor zeros(std::int64_t elements, at::ScalarType type) const override {
        const auto bytes = elements * static_cast<std::int64_t>(c10::elementSize(type));
        const auto memory =
            std::make_shared<comm::NodeMemory>(ranks(), std::max(bytes, std::int64_t{1}));
        return at::from_blob(
            memory->bytes().data(), {elements}, [memory](void*) {}, type);
    }
};

}  // namespace

std::unique_ptr<SharedMemory> shared_memory(const comm::Communicator& ranks, at::Device device) {
    if (device.is_cpu()) return std::make_unique<NodeSharedMemory>(ranks);
    return gpu_memory(ranks, device);
}

}  // namespace civitas::memory
