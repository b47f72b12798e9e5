#pragma once
/// As much of CUDA as src/comm/nccl.cpp asks for, on a machine without it.

using cudaStream_t = struct CUstream_st*;
enum cudaError_t { cudaSuccess };

cudaError_t cudaDeviceGetPCIBusId(char* bus, int length, int device);
const char* cudaGetErrorString(cudaError_t code);
