#pragma once
/// Groups of sends and receives by NCCL, on a stream beside the one that computes.
#include "civitas/base/error.hpp"

#include <ATen/core/Tensor.h>
#include <c10/core/Event.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime.h>
#include <nccl.h>

namespace civitas::comm::nccl {

inline void check(ncclResult_t code, const char* call, ncclComm_t comm = nullptr) {
    if (code == ncclSuccess || code == ncclInProgress) return;
    throw Error(text(call, ": ", ncclGetErrorString(code), ": ", ncclGetLastError(comm)),
                Hint{"NCCL_DEBUG=INFO tells more"});
}

/// What other ranks or the network did to it since.
[[nodiscard]] inline ncclResult_t checked_state(ncclComm_t comm) {
    ncclResult_t state = ncclSuccess;
    check(ncclCommGetAsyncError(comm, &state), "ncclCommGetAsyncError", comm);
    check(state, "NCCL", comm);
    return state;
}

/// The stream that carries all messages of a rank, beside the one that computes.
class CommStream {
public:
    explicit CommStream(at::Device device)
        : device_(device), stream_(c10::cuda::getStreamFromPool(true, device.index())) {}

    [[nodiscard]] cudaStream_t raw() const { return stream_.stream(); }
    [[nodiscard]] bool idle() const { return stream_.query(); }
    /// What has been computed so far comes before what travels from now on.
    void after_computing() const {
        c10::Event computed(c10::DeviceType::CUDA);
        computed.record(computing());
        computed.block(stream_);
    }
    /// What travels now; computing may wait for it.
    [[nodiscard]] c10::Event mark() const {
        c10::Event event(c10::DeviceType::CUDA);
        event.record(stream_);
        return event;
    }
    void let_compute_wait(const c10::Event& event) const { event.block(computing()); }
    /// Its memory is given to nobody else before what travels now is done.
    void keep(const at::Tensor& tensor) const {
        c10::cuda::CUDACachingAllocator::recordStream(tensor.storage().data_ptr(), stream_);
    }

private:
    [[nodiscard]] c10::cuda::CUDAStream computing() const {
        return c10::cuda::getCurrentCUDAStream(device_.index());
    }
    at::Device device_;
    c10::cuda::CUDAStream stream_;
};

/// Sends and receives of one group; those between begin and end make progress together.
class Group {
public:
    Group(ncclComm_t comm, const CommStream& stream) : comm_(comm), stream_(stream) {
        check(ncclGroupStart(), "ncclGroupStart");
    }
    Group(const Group&) = delete;
    Group& operator=(const Group&) = delete;
    Group(Group&&) = delete;
    Group& operator=(Group&&) = delete;
    /// After an error: what follows must not land in this group.
    ~Group() {
        if (open_) (void)ncclGroupEnd();
    }
    void send(const at::Tensor& data, int to) const {
        if (data.numel() == 0) return;
        check(ncclSend(data.const_data_ptr(), data.nbytes(), ncclUint8, to, comm_, stream_.raw()),
              "ncclSend", comm_);
    }
    void receive(const at::Tensor& data, int from) const {
        if (data.numel() == 0) return;
        check(
            ncclRecv(data.mutable_data_ptr(), data.nbytes(), ncclUint8, from, comm_, stream_.raw()),
            "ncclRecv", comm_);
    }
    void end() {
        open_ = false;
        check(ncclGroupEnd(), "ncclGroupEnd", comm_);
    }

private:
    ncclComm_t comm_;
    const CommStream& stream_;
    bool open_ = true;
};

}  // namespace civitas::comm::nccl
