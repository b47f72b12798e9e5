#include "civitas/gpu/graph.hpp"

#include <ATen/core/CachingHostAllocator.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <cuda_runtime_api.h>
#include <exception>
#include <memory>
#include <utility>

namespace civitas::gpu {
namespace {

using SharedPool = std::shared_ptr<const at::cuda::MempoolId_t>;

class CudaGraph final : public Graph {
public:
    explicit CudaGraph(SharedPool pool) : pool_(std::move(pool)) {}

    // Other threads read tiles into pinned memory meanwhile, which only this thread may not do.
    void record(const Work& work) override {
        // What the steps before left to be used again would be of no use to graphs.
        c10::cuda::CUDACachingAllocator::emptyCache();
        graph_.capture_begin(*pool_, cudaStreamCaptureModeThreadLocal);
        try {
            (void)work();
        } catch (...) {
            end_after_error();
            throw;
        }
        graph_.capture_end();
    }
    void replay() override { graph_.replay(); }

private:
    // What is recorded of a failed step is of no use, and its own error is told. Where the
    // recording cannot be ended as a whole, allocators may not have been told that it has ended;
    // where they have, they say so.
    void end_after_error() noexcept {
        const auto quietly = [](const auto& end) {
            try {
                end();
                return true;
            } catch (const std::exception&) {
                (void)cudaGetLastError();
                return false;
            }
        };
        if (quietly([&] { graph_.capture_end(); })) return;
        (void)quietly([&] {
            c10::cuda::CUDACachingAllocator::endAllocateToPool(c10::cuda::current_device(), *pool_);
        });
        (void)quietly([&] { at::getHostAllocator(at::kCUDA)->end_allocate_to_pool(*pool_); });
    }

    SharedPool pool_;
    at::cuda::CUDAGraph graph_;
};

}  // namespace

MakeGraph graphs_of(at::Device /*gpu*/) {
    // Allocators do not take up again a pool that all graphs have let go.
    return [pool = std::weak_ptr<SharedPool::element_type>()]() mutable {
        SharedPool held = pool.lock();
        if (held == nullptr)
            pool = held = std::make_shared<SharedPool::element_type>(at::cuda::graph_pool_handle());
        return std::make_unique<CudaGraph>(std::move(held));
    };
}

struct OwnStream::Guard {
    explicit Guard(at::Device gpu)
        : stream(c10::cuda::getStreamFromPool(/*isHighPriority=*/false, gpu.index())) {}
    c10::cuda::CUDAStreamGuard stream;
};

// Streams do not wait for each other's work by themselves.
OwnStream::OwnStream(at::Device gpu) {
    c10::cuda::device_synchronize();
    guard_ = std::make_unique<Guard>(gpu);
}
OwnStream::~OwnStream() {
    try {
        c10::cuda::device_synchronize();
    } catch (const std::exception&) {
        (void)cudaGetLastError();  // it was met before, and told where it was met
    }
}

}  // namespace civitas::gpu
