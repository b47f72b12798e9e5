#pragma once
/// As much of NCCL as src/comm/nccl.cpp asks for, by MPI and of the strictest kind: the end of a
/// group returns when all its messages have moved, and a message moves when both ends have come.
#include <cstddef>
#include "cuda_runtime.h"

using ncclComm_t = struct PretendedComm*;
struct ncclUniqueId {
    char internal[128];
};
enum ncclResult_t { ncclSuccess, ncclInProgress, ncclInternalError };
enum ncclDataType_t { ncclUint8 };

struct ncclConfig_t {
    int blocking;
};
#define NCCL_CONFIG_INITIALIZER \
    { 1 }

/// From now on on this rank: what ncclCommGetAsyncError tells, how a communicator begins, and what
/// comes of a ncclSend.
struct Pretended {
    ncclResult_t later = ncclSuccess;
    ncclResult_t start = ncclSuccess;
    ncclResult_t send = ncclSuccess;
};
void pretend(const Pretended& results);

ncclResult_t ncclGetUniqueId(ncclUniqueId* id);
ncclResult_t ncclCommInitRank(ncclComm_t* comm, int ranks, ncclUniqueId id, int rank);
/// Does not wait: ncclInProgress until all ranks have begun.
ncclResult_t ncclCommInitRankConfig(ncclComm_t* comm, int ranks, ncclUniqueId id, int rank,
                                    ncclConfig_t* config);
ncclResult_t ncclCommDestroy(ncclComm_t comm);
ncclResult_t ncclCommAbort(ncclComm_t comm);
ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* later);
ncclResult_t ncclGetVersion(int* version);
const char* ncclGetErrorString(ncclResult_t code);
const char* ncclGetLastError(ncclComm_t comm);
ncclResult_t ncclGroupStart();
ncclResult_t ncclGroupEnd();
ncclResult_t ncclSend(const void* data, std::size_t count, ncclDataType_t type, int peer,
                      ncclComm_t comm, cudaStream_t stream);
ncclResult_t ncclRecv(void* data, std::size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t stream);
