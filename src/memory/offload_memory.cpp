#include "civitas/memory/offload_memory.hpp"

#include "civitas/memory/zeros_apart.hpp"

#include "civitas/comm/collectives.hpp"

#include <algorithm>

namespace civitas::memory {

at::Tensor HostMemory::zeros(std::int64_t elements, at::ScalarType type) {
    return zeros_apart(elements, at::TensorOptions(type).pinned_memory(pinned_));
}

void walk(const OffloadMemory* memory, std::span<const at::Tensor> arrays,
          const std::function<void(Range)>& work) {
    const std::int64_t size = arrays.front().numel();
    if (memory == nullptr) return work({0, size});
    const std::int64_t at_once =
        memory->window() / static_cast<std::int64_t>(arrays.front().itemsize());
    const auto run_at = [&](std::int64_t begin) {
        return Range{begin, std::max<std::int64_t>(0, std::min(at_once, size - begin))};
    };
    for (std::int64_t begin = 0; begin < size; begin += at_once) {
        for (const at::Tensor& array : arrays)
            if (const Range next = run_at(begin + at_once); next.count > 0)
                memory->read_ahead(comm::part(array, next));
        work(run_at(begin));
        for (const at::Tensor& array : arrays) memory->let_go(comm::part(array, run_at(begin)));
    }
}

}  // namespace civitas::memory
