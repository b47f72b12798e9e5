#pragma once
/// As much of CUDA as src/comm/nccl.cpp and src/memory/gpu_memory.cpp ask for, on a machine without
/// it: the memory of a GPU is a file that is mapped, and processes open it by its descriptor.
#include <cstddef>

using cudaStream_t = struct CUstream_st*;
enum cudaError_t {
    cudaSuccess,
    cudaErrorInvalidValue,
    cudaErrorMemoryAllocation,
    cudaErrorMapBufferObjectFailed
};
struct cudaIpcMemHandle_t {
    char reserved[64];
};
inline constexpr unsigned cudaIpcMemLazyEnablePeerAccess = 1;

cudaError_t cudaRuntimeGetVersion(int* version);
cudaError_t cudaDeviceGetPCIBusId(char* bus, int length, int device);
const char* cudaGetErrorString(cudaError_t code);
/// The last error that has not been asked for.
cudaError_t cudaGetLastError();

cudaError_t cudaMalloc(void** memory, std::size_t bytes);
cudaError_t cudaFree(void* memory);
cudaError_t cudaMemset(void* memory, int value, std::size_t bytes);
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* handle, void* memory);
cudaError_t cudaIpcOpenMemHandle(void** memory, cudaIpcMemHandle_t handle, unsigned flags);
cudaError_t cudaIpcCloseMemHandle(void* memory);

/// From now on on this rank: the memory of its GPU, and what comes of a cudaIpcOpenMemHandle.
struct PretendedGpu {
    std::size_t free = std::size_t{1} << 30;
    cudaError_t open = cudaSuccess;
};
void pretend_gpu(const PretendedGpu& results);
/// What this process has allocated or opened, and not ended.
int arrays_of_gpu();
/// How often this process has freed what another one had open.
int freed_while_open();
