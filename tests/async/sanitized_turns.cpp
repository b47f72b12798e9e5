// What ranks do in turns, by threads, under ThreadSanitizer: each updates slices of numbers that
// all share, claims batches of one counter, reads versions beside that, and tells of its steps by a
// ring. Ends with 1 for a wrong sum or number of steps told; the sanitizer ends it for a race.
#include "civitas/async/batch_counter.hpp"
#include "civitas/async/ring.hpp"

#include <cstdio>
#include <optional>
#include <thread>
#include <vector>

using civitas::async::BatchCounter;
using civitas::async::Ring;
using civitas::async::Turns;

namespace {

struct alignas(64) Line {
    std::byte bytes[64] = {};
};

constexpr int ranks = 4;
constexpr std::size_t slices = 5, slice_numbers = 64;
constexpr std::int64_t batches = 400;
constexpr std::size_t told_at_once = 3;

}  // namespace

int main() {
    std::vector<Line> of_turns(slices), of_counter(16);
    std::vector<double> shared(slices * slice_numbers), total(ranks);
    std::vector<std::vector<Line>> of_rings(
        ranks, std::vector<Line>(Ring<std::int64_t>::bytes_for(told_at_once) / sizeof(Line)));
    const auto bytes = [](std::vector<Line>& lines) {
        return std::as_writable_bytes(std::span(lines));
    };
    const Turns turns(bytes(of_turns), slices);
    BatchCounter(bytes(of_counter), ranks, 0, std::nullopt).open(0, batches);
    std::vector<std::thread> threads;
    for (int rank = 0; rank < ranks; ++rank)
        threads.emplace_back([&, rank] {
            const BatchCounter counter(bytes(of_counter), ranks, rank, 3);
            std::vector<std::uint64_t> seen(slices);
            std::vector<double> mine(shared.size());
            const Ring<std::int64_t> told(bytes(of_rings[static_cast<std::size_t>(rank)]),
                                          told_at_once);
            for (auto batch = counter.claim(); batch;) {
                const auto step = counter.begin(*batch, [] { std::this_thread::yield(); });
                const auto following = counter.claim();
                for (std::size_t slice = 0; slice < slices; ++slice) {
                    if (turns.version(slice) == seen[slice]) continue;
                    turns.take(slice, [&](std::uint64_t& version) {
                        for (std::size_t i = 0; i < slice_numbers; ++i)
                            mine[slice * slice_numbers + i] = shared[slice * slice_numbers + i];
                        seen[slice] = version;
                    });
                }
                for (std::size_t slice = 0; slice < slices; ++slice)
                    turns.take(slice, [&](std::uint64_t& version) {
                        for (std::size_t i = 0; i < slice_numbers; ++i)
                            shared[slice * slice_numbers + i] += 1;
                        seen[slice] = ++version;
                    });
                (void)counter.end(*step);
                while (!told.put(*batch)) std::this_thread::yield();
                batch = following;
            }
        });
    std::int64_t told = 0, sum = 0;
    for (; told < batches; std::this_thread::yield())
        for (std::vector<Line>& ring : of_rings)
            while (const auto batch = Ring<std::int64_t>(bytes(ring), told_at_once).take())
                ++told, sum += *batch;
    for (std::thread& thread : threads) thread.join();
    if (told != batches || sum != batches * (batches - 1) / 2) return std::puts("not told"), 1;
    for (const double number : shared)
        if (number != static_cast<double>(batches)) return std::puts("a wrong sum"), 1;
    return turns.version(0) == batches ? 0 : 1;
}
