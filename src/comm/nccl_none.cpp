// In builds without CUDA.
#include "nccl.hpp"

#include "civitas/base/error.hpp"

namespace civitas::comm {

std::string cuda_version() { return "none"; }
std::string nccl_version() { return "none"; }

std::string gpu_id(at::Device /*device*/) { throw Error("this build has no CUDA"); }

std::unique_ptr<Backend> nccl_links(const Communicator& /*world*/, at::Device /*device*/,
                                    std::chrono::duration<double> /*patience*/) {
    throw Error("this build has no NCCL");
}

}  // namespace civitas::comm
