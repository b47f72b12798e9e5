#include "pinned_pages.hpp"

#include <dlfcn.h>

namespace civitas::memory {
namespace {

// Asked of the CUDA runtime that libtorch brings along, where it does: memory that libtorch pins
// itself is rounded up to a power of two. An error that is left would be taken for that of another
// call.
template <class... Arguments>
bool call_cuda(const char* name, Arguments... arguments) {
    const auto call = reinterpret_cast<int (*)(Arguments...)>(dlsym(RTLD_DEFAULT, name));
    const auto forget = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "cudaGetLastError"));
    if (call == nullptr || forget == nullptr) return false;
    const bool done = call(arguments...) == 0;
    if (!done) (void)forget();
    return done;
}

constexpr unsigned for_all_devices = 1;  // cudaHostRegisterPortable

}  // namespace

bool pin(std::span<std::byte> pages) {
    return call_cuda("cudaHostRegister", static_cast<void*>(pages.data()), pages.size(),
                     for_all_devices);
}

void unpin(std::span<std::byte> pages) {
    call_cuda("cudaHostUnregister", static_cast<void*>(pages.data()));
}

}  // namespace civitas::memory
