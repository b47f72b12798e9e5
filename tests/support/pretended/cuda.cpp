#include <cuda_runtime.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <utility>

namespace {

constexpr std::size_t page = 4096;

/// Lies before the memory itself.
struct Header {
    std::atomic<int> open;
};
struct Handle {
    int process = 0, file = 0;
    std::size_t bytes = 0;
};
struct Mapping {
    Handle handle;
    bool own = false;
};

struct State {
    PretendedGpu results;
    std::map<void*, Mapping> mappings;
    cudaError_t last = cudaSuccess;
    int freed_while_open = 0;
};
State& state() {
    static State all;
    return all;
}

cudaError_t failed(cudaError_t code) { return state().last = code; }

std::byte* begin_of(void* memory) { return static_cast<std::byte*>(memory) - page; }
Header& header_of(void* memory) { return *reinterpret_cast<Header*>(begin_of(memory)); }

cudaError_t map(void** memory, Handle handle, int file, bool own) {
    void* const begin =
        mmap(nullptr, page + handle.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (begin == MAP_FAILED) return failed(cudaErrorMapBufferObjectFailed);
    *memory = static_cast<std::byte*>(begin) + page;
    state().mappings.emplace(*memory, Mapping{handle, own});
    return cudaSuccess;
}

/// Takes a mapping out of what this process has.
cudaError_t end(void* memory, bool own) {
    const auto node = state().mappings.extract(memory);
    if (node.empty() || node.mapped().own != own) return failed(cudaErrorInvalidValue);
    munmap(begin_of(memory), page + node.mapped().handle.bytes);
    if (own) close(node.mapped().handle.file);
    return cudaSuccess;
}

}  // namespace

void pretend_gpu(const PretendedGpu& results) { state().results = results; }
int arrays_of_gpu() { return static_cast<int>(state().mappings.size()); }
int freed_while_open() { return state().freed_while_open; }

cudaError_t cudaRuntimeGetVersion(int* version) {
    *version = 13020;
    return cudaSuccess;
}
cudaError_t cudaDeviceGetPCIBusId(char* bus, int length, int device) {
    std::snprintf(bus, static_cast<std::size_t>(length), "pretended %d", device);
    return cudaSuccess;
}
const char* cudaGetErrorString(cudaError_t code) {
    return code == cudaErrorMapBufferObjectFailed ? "mapping of buffer object failed" : "pretended";
}
cudaError_t cudaGetLastError() { return std::exchange(state().last, cudaSuccess); }

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
    if (bytes > state().results.free) return failed(cudaErrorMemoryAllocation);
    const int file = memfd_create("pretended GPU", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, static_cast<off_t>(page + bytes)) != 0)
        return failed(cudaErrorMemoryAllocation);
    const cudaError_t code = map(memory, {getpid(), file, bytes}, file, true);
    // What was there before is anything but zeros.
    if (code == cudaSuccess) std::memset(*memory, 0x7f, bytes);
    return code;
}
cudaError_t cudaFree(void* memory) {
    if (state().mappings.contains(memory) && header_of(memory).open > 0) ++state().freed_while_open;
    return end(memory, true);
}
cudaError_t cudaMemset(void* memory, int value, std::size_t bytes) {
    std::memset(memory, value, bytes);
    return cudaSuccess;
}
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
    *free = state().results.free;
    *total = std::size_t{1} << 30;
    return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* handle, void* memory) {
    const auto found = state().mappings.find(memory);
    if (found == state().mappings.end()) return failed(cudaErrorInvalidValue);
    std::memcpy(handle->reserved, &found->second.handle, sizeof(Handle));
    return cudaSuccess;
}
cudaError_t cudaIpcOpenMemHandle(void** memory, cudaIpcMemHandle_t given, unsigned /*flags*/) {
    if (state().results.open != cudaSuccess) return failed(state().results.open);
    Handle handle;
    std::memcpy(&handle, given.reserved, sizeof handle);
    if (handle.process == getpid()) return failed(cudaErrorInvalidValue);
    const std::string name =
        "/proc/" + std::to_string(handle.process) + "/fd/" + std::to_string(handle.file);
    const int file = open(name.c_str(), O_RDWR | O_CLOEXEC);
    const cudaError_t code = map(memory, handle, file, false);
    if (file >= 0) close(file);
    if (code == cudaSuccess) ++header_of(*memory).open;
    return code;
}
cudaError_t cudaIpcCloseMemHandle(void* memory) {
    if (!state().mappings.contains(memory)) return failed(cudaErrorInvalidValue);
    --header_of(memory).open;
    return end(memory, false);
}
