#pragma once
/// Loops on all threads of a process.
#include <ATen/Parallel.h>
#include <ATen/ThreadLocalState.h>
#include <algorithm>
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

/// Calls work(i) for each i in [0, count), each by one thread: of one alone nothing would be
/// parallel, and a library would cut its sums by the number of threads.
template <class Work>
void one_thread_each(std::int64_t count, const Work& work) {
    parallel_as_caller(std::max<std::int64_t>(2, count), [&](std::int64_t begin, std::int64_t end) {
        for (; begin < std::min(end, count); ++begin) work(begin);
    });
}

}  // namespace civitas::nn
