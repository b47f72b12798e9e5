#include "civitas/environment/devices.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"
#include "civitas/comm/agree.hpp"

#include <ATen/Context.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <algorithm>

namespace civitas::environment {
namespace {

void warn_of_sharing(const comm::Communicator& machine, std::int64_t asking, const GpuTurn& turn,
                     Log& log) {
    const int gpus = c10::impl::VirtualGuardImpl(c10::DeviceType::CUDA).deviceCount();
    const std::int64_t all = turn.taken + asking * turn.replicas;
    if (machine.is_root() && all > gpus)
        log.warn(text(all, turn.replicas > 1 ? " replicas" : " ranks", " of this node share its ",
                      counted(gpus, "GPU", "GPUs"), ". Hint: fewer ",
                      turn.replicas > 1 ? "replicas" : "ranks", ", or nodes with more."));
}

/// The first is opened last, so that it is the current one.
std::vector<at::Device> open_devices(DeviceKind kind, int first, int count) {
    std::vector<at::Device> devices(static_cast<std::size_t>(count), at::kCPU);
    for (int i = count - 1; i >= 0; --i)
        devices[static_cast<std::size_t>(i)] = open_device(kind, first + i);
    return devices;
}

}  // namespace

std::vector<at::Device> agree_on_devices(const comm::Communicator& world, DeviceKind kind, Log& log,
                                         const GpuTurn& turn) {
    const auto machine = world.split_by_machine();
    const auto asked = machine.all_gather(kind == DeviceKind::cuda ? 1 : 0);
    const auto before = std::count(asked.begin(), asked.begin() + index(machine.rank()), 1);
    const int first = turn.taken + static_cast<int>(before) * turn.replicas;
    auto devices = comm::agree(world, [&] { return open_devices(kind, first, turn.replicas); });
    const auto asking = std::count(asked.begin(), asked.end(), 1);
    if (asking > 0) warn_of_sharing(machine, asking, turn, log);
    return devices;
}

at::Device open_device(DeviceKind kind, int number) {
    if (kind == DeviceKind::cpu) return at::kCPU;
    if (!at::globalContext().hasCUDA())
        throw UsageError(
            "--device cuda: no GPU can be used here",
            Hint{"a build with the preset cuda on a machine with a GPU, or --device cpu"});
    // fp32 means fp32, and the same bits run to run.
    at::globalContext().setAllowTF32CuDNN(false);
    at::globalContext().setAllowTF32CuBLAS(false);
    at::globalContext().setDeterministicCuDNN(true);
    const c10::impl::VirtualGuardImpl gpus(c10::DeviceType::CUDA);
    const at::Device device(at::kCUDA, static_cast<at::DeviceIndex>(number % gpus.deviceCount()));
    gpus.setDevice(device);
    return device;
}

}  // namespace civitas::environment
