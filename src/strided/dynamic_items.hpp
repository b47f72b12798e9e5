#pragma once
/// Items of work that threads take one by one.
#include <ATen/Parallel.h>
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>

namespace civitas::strided {

/// Calls work(next) on as many threads as libtorch has, at most one for each of the items
/// 0, ..., count - 1: next() returns each of them once, to whichever thread asks for it, and none
/// when all are taken. So a thread that other programs hold up leaves items to the others, as by
/// OpenMP's schedule(dynamic); with equal shares all would wait for it. Which thread has which item
/// is not known, so none may add to what another one reads.
template <class Work>
void parallel_dynamic(std::int64_t count, Work work) {
    std::atomic<std::int64_t> taken = 0;
    const auto next = [&]() -> std::optional<std::int64_t> {
        const std::int64_t item = taken.fetch_add(1, std::memory_order_relaxed);
        return item < count ? std::optional(item) : std::nullopt;
    };
    const auto threads = std::min<std::int64_t>(count, at::get_num_threads());
    at::parallel_for(0, threads, 1,
                     [&](std::int64_t /*begin*/, std::int64_t /*end*/) { work(next); });
}

}  // namespace civitas::strided
