#include "one_device.hpp"

#include "civitas/base/error.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/comm/backend.hpp"
#include "civitas/environment/devices.hpp"

namespace civitas::train {

at::Device agree_on_one_device(const comm::Communicator& world, DeviceKind kind, int taken) {
    const at::Device device = comm::agree(
        world, [&] { return environment::open_device(kind, taken + index(world.rank())); });
    if (device.is_cpu()) return device;
    const auto gpus = world.all_gather(comm::agree(world, [&] { return comm::gpu_id(device); }));
    comm::agree(world, [&] { require_one_gpu(gpus); });
    return device;
}

void require_one_gpu(const std::vector<std::string>& gpus) {
    for (std::size_t rank = 1; rank < gpus.size(); ++rank)
        if (gpus[rank] != gpus[0])
            throw UsageError(text("--update async shares the memory of one GPU, rank 0 has ",
                                  gpus[0], ", rank ", rank, " has ", gpus[rank]),
                             Hint{"CUDA_VISIBLE_DEVICES with one GPU, the same for all ranks, or "
                                  "--update sync"});
}

}  // namespace civitas::train
