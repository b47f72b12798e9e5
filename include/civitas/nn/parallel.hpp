#pragma once
/// Loops on all threads of a process.
#include <ATen/Parallel.h>
#include <ATen/ThreadLocalState.h>
#include <cstdint>

namespace civitas::nn {

/// Calls work(begin, end) with parts of [0, count), each of one thread, which computes with ATen as
/// the caller does: threads have a state of their own, such as whether gradients are recorded.
template <class Work>
void parallel_as_caller(std::int64_t count, const Work& work) {
    const at::ThreadLocalState caller;
    at::parallel_for(0, count, 1, [&](std::int64_t begin, std::int64_t end) {
        const at::ThreadLocalStateGuard as_caller(caller);
        work(begin, end);
    });
}

}  // namespace civitas::nn
