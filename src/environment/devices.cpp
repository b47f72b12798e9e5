#include "civitas/environment/devices.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/text.hpp"
#include "civitas/comm/agree.hpp"

#include <ATen/Context.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <algorithm>

namespace civitas::environment {
namespace {

void warn_of_sharing(const comm::Communicator& machine, std::int64_t asking, Log& log) {
    const int gpus = c10::impl::VirtualGuardImpl(c10::DeviceType::CUDA).deviceCount();
    if (machine.is_root() && asking > gpus)
        log.warn(text(asking, " ranks of this node share its ", counted(gpus, "GPU", "GPUs"),
                      ". Hint: fewer ranks, or nodes with more."));
}

}  // namespace

at::Device agree_on_device(const comm::Communicator& world, DeviceKind kind, Log& log, int taken) {
    const auto machine = world.split_by_machine();
    const auto asked = machine.all_gather(kind == DeviceKind::cuda ? 1 : 0);
    const auto before = taken + std::count(asked.begin(), asked.begin() + index(machine.rank()), 1);
    const auto device =
        comm::agree(world, [&] { return open_device(kind, static_cast<int>(before)); });
    const auto asking = std::count(asked.begin(), asked.end(), 1);
    if (asking > 0) warn_of_sharing(machine, taken + asking, log);
    return device;
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
