// In builds without CUDA.
#include "gpu_memory.hpp"

#include "civitas/base/error.hpp"

namespace civitas::memory {

std::unique_ptr<SharedMemory> gpu_memory(const comm::Communicator& /*ranks*/, at::Device /*gpu*/) {
    throw Error("this build has no CUDA");
}

}  // namespace civitas::memory
