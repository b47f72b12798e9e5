// Memory of a node, and that of a GPU over a pretended CUDA, whose memory ranks share by files.
#include "support/tensor.hpp"

#include "memory/gpu_memory.hpp"

#include "support/agree.hpp"
#include "support/pretended/cuda_runtime.h"

#include <chrono>
#include <thread>

using namespace civitas;
using comm::Communicator;
using memory::SharedMemory;

namespace {

/// The first ranks wait a little, so that others come to the end of an array before.
void come_late(bool late) {
    if (late) std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

}  // namespace

TEST_CASE("what a rank writes to an array that is shared, all read") {
    const auto world = Communicator::world();
    const int me = index(world.rank());
    const auto node = memory::shared_memory(world, at::kCPU);
    const auto gpu = memory::gpu_memory(world, at::kCPU);
    for (const SharedMemory* const shared : {node.get(), gpu.get()}) {
        const at::Tensor small = shared->zeros(world.size(), at::kLong);
        const at::Tensor large = shared->zeros(700'000, at::kDouble);
        REQUIRE_ALL(world, (small == 0).all().item<bool>() && (large == 0).all().item<bool>());
        world.barrier();
        small[me].fill_(10 + me);
        large[700'000 - 1 - me].fill_(me + 0.5);
        shared->finish();
        world.barrier();
        for (int rank = 0; rank < world.size(); ++rank) {
            CHECK(small[rank].item<std::int64_t>() == 10 + rank);
            CHECK(large[700'000 - 1 - rank].item<double>() == rank + 0.5);
        }
        CHECK(reinterpret_cast<std::uintptr_t>(large.const_data_ptr()) % 4096 == 0);
        world.barrier();
    }
}

TEST_CASE("memory of a GPU is freed when no rank has it open any more") {
    const auto world = Communicator::world();
    for (const bool owner_first : {true, false}) {
        {
            const auto gpu = memory::gpu_memory(world, at::kCPU);
            const at::Tensor array = gpu->zeros(10, at::kFloat);
            CHECK(arrays_of_gpu() == 1);
            come_late(world.is_root() != owner_first);
        }
        CHECK(arrays_of_gpu() == 0);
        CHECK(freed_while_open() == 0);
    }
}

TEST_CASE("an error leaves memory of a GPU that others may have open to the driver") {
    const auto world = Communicator::world();
    const auto gpu = memory::gpu_memory(world, at::kCPU);
    const auto fails = [&] {
        const at::Tensor array = gpu->zeros(10, at::kFloat);
        come_late(!world.is_root());
        throw Error("a rank that fails waits for nobody");
    };
    CHECK_THROWS_AS(fails(), Error);
    CHECK(arrays_of_gpu() == (world.is_root() ? 1 : 0));
    CHECK(freed_while_open() == 0);
}

TEST_CASE("a GPU with too little room is told with both numbers") {
    const auto world = Communicator::world();
    const auto gpu = memory::gpu_memory(world, at::kCPU);
    pretend_gpu({.free = 3'000'000});
    CHECK_THROWS_WITH(
        gpu->zeros(1'000'000, at::kFloat),
        Catch::Contains("no room on the GPU for 4.0 MB of weights and moments that ranks share: "
                        "it has 3.0 MB free of 1073.7 MB. Hint: fewer ranks"));
    CHECK(cudaGetLastError() == cudaSuccess);
    pretend_gpu({});
    CHECK(gpu->zeros(1'000'000, at::kFloat).numel() == 1'000'000);
}

TEST_CASE("a rank that cannot open the GPU's memory is an error of all") {
    const auto world = Communicator::world();
    if (world.size() == 1) return;
    const auto gpu = memory::gpu_memory(world, at::kCPU);
    if (index(world.rank()) == 1) pretend_gpu({.open = cudaErrorMapBufferObjectFailed});
    CHECK_THROWS_WITH(gpu->zeros(10, at::kFloat),
                      "rank 1: cudaIpcOpenMemHandle: mapping of buffer object failed. Hint: ranks "
                      "in one container, or --update sync.");
    CHECK(cudaGetLastError() == cudaSuccess);
    pretend_gpu({});
}
