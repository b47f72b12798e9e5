#include "civitas/memory/zeros_apart.hpp"

#include "pinned_pages.hpp"

#include <ATen/ops/from_blob.h>
#include <ATen/ops/zeros.h>
#include <sys/mman.h>
#include <new>

namespace civitas::memory {

at::Tensor zeros_apart(std::int64_t elements, const at::TensorOptions& options) {
    if (!options.device().is_cpu() || elements == 0)
        return at::zeros({elements}, options.pinned_memory(false));
    const std::size_t bytes = static_cast<std::size_t>(elements) * options.dtype().itemsize();
    void* const pages =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) throw std::bad_alloc();
    // All of it will be used, so pages may be large; where the kernel has none, they are not.
    (void)madvise(pages, bytes, MADV_HUGEPAGE);
    const std::span all(static_cast<std::byte*>(pages), bytes);
    const bool pinned = options.pinned_memory() && pin(all);
    const auto free = [all, pinned](void*) {
        if (pinned) unpin(all);
        munmap(all.data(), all.size());
    };
    return at::from_blob(pages, {elements}, free, options.device(at::kCPU).pinned_memory(false));
}

}  // namespace civitas::memory
