// Preloaded, makes two GPUs of the first one. The second is a CUDA context of its own: as on a GPU
// of its own, its memory is out of the reach of the first one's kernels, and its streams and
// handles are refused there. What it cannot show is how fast two are.
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

template <class Function>
Function* next(const char* name) {
    void* const found = dlsym(RTLD_NEXT, name);
    if (found == nullptr) {
        std::fprintf(stderr, "two_gpus: no function %s\n", name);
        std::abort();
    }
    return reinterpret_cast<Function*>(found);
}

/// Of the driver, which is not there where this is built.
template <class Function>
Function* driver(const char* name) {
    static void* const library = dlopen("libcuda.so.1", RTLD_NOW);
    void* const found = library == nullptr ? nullptr : dlsym(library, name);
    if (found == nullptr) {
        std::fprintf(stderr, "two_gpus: the driver has no function %s\n", name);
        std::abort();
    }
    return reinterpret_cast<Function*>(found);
}

constexpr int gpus = 2;
thread_local int current = 0;

using Contexts = std::array<CUcontext, gpus>;

/// Begun when the second GPU is first asked for, as a runtime begins that of a device.
const Contexts& contexts() {
    static const Contexts both = [] {
        Contexts made{};
        CUcontext before = nullptr;
        const auto good = [](CUresult result) {
            if (result != CUDA_SUCCESS) {
                std::fprintf(stderr, "two_gpus: error %d of the driver\n",
                             static_cast<int>(result));
                std::abort();
            }
        };
        good(driver<CUresult(unsigned)>("cuInit")(0));
        good(driver<CUresult(CUcontext*)>("cuCtxGetCurrent")(&before));
        good(driver<CUresult(CUcontext*, CUdevice)>("cuDevicePrimaryCtxRetain")(&made[0], 0));
        good(driver<CUresult(CUcontext*, unsigned, CUdevice)>("cuCtxCreate_v2")(&made[1], 0, 0));
        good(driver<CUresult(CUcontext)>("cuCtxSetCurrent")(before));
        return made;
    }();
    return both;
}

using HasContext = bool(std::int8_t device);
HasContext* has_context = nullptr;

bool is_known(int device) { return device >= 0 && device < gpus; }

}  // namespace

// How libtorch tells its lower layer whom to ask for a device's context: the driver, which has one
// device.
namespace c10::cuda::_internal {
void setHasPrimaryContext(HasContext* ask) {
    has_context = ask;
    HasContext* const ours = [](std::int8_t device) { return device > 0 || has_context(device); };
    next<void(HasContext*)>("_ZN3c104cuda9_internal20setHasPrimaryContextEPFbaE")(
        ask == nullptr ? nullptr : ours);
}
}  // namespace c10::cuda::_internal

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
    const cudaError_t code = next<cudaError_t(int*)>("cudaGetDeviceCount")(count);
    if (code == cudaSuccess) *count = gpus;
    return code;
}

cudaError_t cudaGetDevice(int* device) {
    *device = current;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
    if (!is_known(device)) return cudaErrorInvalidDevice;
    const cudaError_t code = next<cudaError_t(int)>("cudaSetDevice")(0);
    if (code != cudaSuccess) return code;
    current = device;
    if (device == 0) return cudaSuccess;
    const auto set = driver<CUresult(CUcontext)>("cuCtxSetCurrent");
    return set(contexts()[1]) == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidDevice;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
    if (!is_known(device)) return cudaErrorInvalidDevice;
    return next<cudaError_t(cudaDeviceProp*, int)>("cudaGetDeviceProperties")(properties, 0);
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
    if (!is_known(device)) return cudaErrorInvalidDevice;
    return next<cudaError_t(int*, cudaDeviceAttr, int)>("cudaDeviceGetAttribute")(value, attribute,
                                                                                  0);
}

cudaError_t cudaDeviceGetPCIBusId(char* bus, int length, int device) {
    if (!is_known(device)) return cudaErrorInvalidDevice;
    const auto code = next<cudaError_t(char*, int, int)>("cudaDeviceGetPCIBusId")(bus, length, 0);
    if (code == cudaSuccess && device == 1 && length > 0) bus[0] = 'F';  // its domain
    return code;
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int /*device*/, int /*peer*/) {
    *can = 0;
    return cudaSuccess;
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                size_t bytes, cudaStream_t stream) {
    if (!is_known(to_device) || !is_known(from_device)) return cudaErrorInvalidDevice;
    using Copy = CUresult(CUdeviceptr, CUcontext, CUdeviceptr, CUcontext, size_t, CUstream);
    const auto address = [](const void* memory) { return reinterpret_cast<CUdeviceptr>(memory); };
    const CUresult result = driver<Copy>("cuMemcpyPeerAsync")(
        address(to), contexts()[static_cast<size_t>(to_device)], address(from),
        contexts()[static_cast<size_t>(from_device)], bytes, stream);
    return result == CUDA_SUCCESS ? cudaSuccess : cudaErrorUnknown;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* memory) {
    using Ask = cudaError_t(cudaPointerAttributes*, const void*);
    const cudaError_t code = next<Ask>("cudaPointerGetAttributes")(attributes, memory);
    if (code != cudaSuccess || attributes->type != cudaMemoryTypeDevice) return code;
    CUcontext of = nullptr;
    using AskDriver = CUresult(void*, CUpointer_attribute, CUdeviceptr);
    const auto result = driver<AskDriver>("cuPointerGetAttribute")(
        &of, CU_POINTER_ATTRIBUTE_CONTEXT, reinterpret_cast<CUdeviceptr>(memory));
    if (result == CUDA_SUCCESS && of == contexts()[1]) attributes->device = 1;
    return code;
}
}
