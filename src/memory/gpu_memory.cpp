#include "gpu_memory.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/handle.hpp"
#include "civitas/base/text.hpp"
#include "civitas/comm/agree.hpp"

#include <ATen/ops/from_blob.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <cuda_runtime.h>
#include <exception>

namespace civitas::memory {
namespace {

// An error that is left would be taken for that of another call.
void check(cudaError_t code, const char* call, const Hint& hint = {}) {
    if (code == cudaSuccess) return;
    (void)cudaGetLastError();
    throw Error(text(call, ": ", cudaGetErrorString(code)), hint);
}

/// Memory of this process. Others may still have it open when an error ends the run, so it is left
/// to the driver then.
struct AllocationTraits {
    using type = void*;
    static type null() noexcept { return nullptr; }
    static void destroy(type memory) noexcept {
        if (std::uncaught_exceptions() == 0) (void)cudaFree(memory);
    }
};

/// Memory of another process.
struct OpenedTraits {
    using type = void*;
    static type null() noexcept { return nullptr; }
    static void destroy(type memory) noexcept { (void)cudaIpcCloseMemHandle(memory); }
};

Error no_room(std::int64_t bytes) {
    (void)cudaGetLastError();
    std::size_t free = 0, total = 0;
    check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    return Error(text("no room on the GPU for ", megabytes(bytes),
                      " of weights and moments that ranks share: it has ",
                      megabytes(static_cast<std::int64_t>(free)), " free of ",
                      megabytes(static_cast<std::int64_t>(total))),
                 Hint{"fewer ranks, or a smaller --net or --micro-batch"});
}

/// One allocation, of which the first rank is the owner.
class SharedAllocation {
public:
    SharedAllocation(const comm::Communicator& ranks, std::int64_t bytes) : ranks_(ranks) {
        cudaIpcMemHandle_t handle{};
        comm::on_root(ranks, [&] { handle = allocate(bytes); });
        handle = ranks.broadcast(handle);
        comm::agree(ranks, [&] {
            if (!ranks.is_root()) open(handle);
        });
    }
    SharedAllocation(const SharedAllocation&) = delete;
    SharedAllocation& operator=(const SharedAllocation&) = delete;
    SharedAllocation(SharedAllocation&&) = delete;
    SharedAllocation& operator=(SharedAllocation&&) = delete;
    /// What is freed must not be open anywhere.
    ~SharedAllocation() {
        opened_ = {};
        if (std::uncaught_exceptions() == 0) ranks_.barrier();
    }

    [[nodiscard]] void* begin() const noexcept { return own_ ? own_.get() : opened_.get(); }

private:
    // What is smaller than 2 MiB may be cut from memory that the process has for other things, all
    // of which a handle would share.
    [[nodiscard]] cudaIpcMemHandle_t allocate(std::int64_t bytes) {
        constexpr std::int64_t unit = 2 << 20;
        const auto whole = static_cast<std::size_t>((bytes + unit - 1) / unit * unit);
        void* memory = nullptr;
        const cudaError_t code = cudaMalloc(&memory, whole);
        if (code == cudaErrorMemoryAllocation) throw no_room(bytes);
        check(code, "cudaMalloc");
        own_ = Handle<AllocationTraits>(memory);
        check(cudaMemset(memory, 0, whole), "cudaMemset");
        check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
        cudaIpcMemHandle_t handle{};
        check(cudaIpcGetMemHandle(&handle, memory), "cudaIpcGetMemHandle",
              {"--update sync where processes cannot share memory of a GPU"});
        return handle;
    }
    void open(const cudaIpcMemHandle_t& handle) {
        void* memory = nullptr;
        check(cudaIpcOpenMemHandle(&memory, handle, cudaIpcMemLazyEnablePeerAccess),
              "cudaIpcOpenMemHandle", {"ranks in one container, or --update sync"});
        opened_ = Handle<OpenedTraits>(memory);
    }

    const comm::Communicator& ranks_;
    Handle<AllocationTraits> own_;
    Handle<OpenedTraits> opened_;
};

class GpuSharedMemory final : public SharedMemory {
public:
    GpuSharedMemory(const comm::Communicator& ranks, at::Device gpu)
        : SharedMemory(ranks), gpu_(gpu) {}
    [[nodiscard]] at::Tensor zeros(std::int64_t elements, at::ScalarType type) const override {
        const c10::DeviceGuard on_gpu(gpu_);
        const auto memory = std::make_shared<SharedAllocation>(
            ranks(), elements * static_cast<std::int64_t>(c10::elementSize(type)));
        const auto options = at::TensorOptions(gpu_).dtype(type);
        return at::from_blob(
            memory->begin(), {elements}, [memory](void*) {}, options, gpu_);
    }
    void finish() const override {
        const c10::impl::VirtualGuardImpl streams(gpu_.type());
        streams.synchronizeStream(streams.getStream(gpu_));
    }

private:
    at::Device gpu_;
};

}  // namespace

std::unique_ptr<SharedMemory> gpu_memory(const comm::Communicator& ranks, at::Device gpu) {
    return std::make_unique<GpuSharedMemory>(ranks, gpu);
}

}  // namespace civitas::memory
