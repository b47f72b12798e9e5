// The arrays that ranks share, by threads in the place of ranks, under ThreadSanitizer: each brings
// its copy of the weights up to date and reads it while others update slices. What copies weights
// for them is a loop of ours, since the sanitizer sees nothing of libtorch's. Ends with 1 for an
// update that was lost; the sanitizer ends it for a race.
#include "async/shared_arrays.hpp"

#include <ATen/Parallel.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/InferenceMode.h>
#include <torch/library.h>
#include <barrier>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

using namespace civitas;

namespace {

constexpr int ranks = 4;
constexpr std::int64_t updates_of_rank = 6;

/// Which rank a thread is, and how many blocks of memory it has asked for.
thread_local int this_rank = 0;
thread_local std::size_t blocks_asked_for = 0;

std::barrier<>& meeting() {
    static std::barrier<> all(ranks);
    return all;
}

/// Zeros that all ranks get alike: the n-th block that each asks for is the same.
std::span<std::byte> shared_block(std::int64_t bytes) {
    static std::mutex guard;
    static std::vector<std::unique_ptr<std::byte[], decltype(&std::free)>> blocks;
    const std::scoped_lock lock(guard);
    const std::size_t which = blocks_asked_for++;
    if (which == blocks.size()) {
        constexpr std::size_t page = 4096;
        const std::size_t whole = (static_cast<std::size_t>(bytes) + page - 1) / page * page;
        blocks.emplace_back(static_cast<std::byte*>(std::aligned_alloc(page, whole)), &std::free);
        std::fill_n(blocks.back().get(), whole, std::byte{0});
    }
    return {blocks[which].get(), static_cast<std::size_t>(bytes)};
}

/// Instead of libtorch's own, between arrays of floats.
at::Tensor& copy(at::Tensor& to, const at::Tensor& from, bool /*non_blocking*/) {
    TORCH_CHECK(to.is_contiguous() && from.is_contiguous() && to.numel() == from.numel() &&
                to.scalar_type() == at::kFloat && from.scalar_type() == at::kFloat);
    const auto* const source = from.const_data_ptr<float>();
    auto* const target = to.mutable_data_ptr<float>();
    for (std::int64_t i = 0; i < to.numel(); ++i) target[i] = source[i];
    return to;
}

class ThreadsMemory final : public memory::SharedMemory {
public:
    explicit ThreadsMemory(const comm::Communicator& threads) : SharedMemory(threads) {}
    [[nodiscard]] at::Tensor zeros(std::int64_t elements, at::ScalarType type) const override {
        const auto bytes = elements * static_cast<std::int64_t>(c10::elementSize(type));
        return at::from_blob(shared_block(bytes).data(), {elements}, type);
    }
};

/// All updates of a rank, each by a gradient of -1, and what its copy of the weights is after them.
std::vector<float> updated(AsyncMoments moments, OptimizerKind kind) {
    const comm::Communicator threads = comm::Communicator::self();
    const ThreadsMemory memory(threads);
    const net::ArenaLayout layout({{"a.weight", {300, 300}, net::Initializer::zero},
                                   {"b.weight", {70}, net::Initializer::zero}});
    std::vector<float> mine(static_cast<std::size_t>(layout.size()));
    std::vector<float> gradient(mine.size(), -1.0F);
    const auto flat = [&](std::vector<float>& numbers) {
        return at::from_blob(numbers.data(), {layout.size()}, at::kFloat);
    };
    const optim::ArenaShard weights(layout, flat(mine));
    const optim::UpdaterOptions options{.optimizer = {.kind = kind,
                                                      .learning_rate = 1,
                                                      .momentum = 0,
                                                      .kernels = net::KernelSet::fast},
                                        .ema = 0.9,
                                        .leaves = {}};
    async::SharedArrays arrays(memory, {layout, weights, nullptr, at::kCPU}, options, moments);
    for (std::int64_t i = 0; i < updates_of_rank; ++i) {
        arrays.refresh();
        for (std::size_t n = 0; n < mine.size(); ++n) gradient[n] = -1.0F + 0.0F * mine[n];
        arrays.update(flat(gradient));
    }
    meeting().arrive_and_wait();
    arrays.refresh();
    meeting().arrive_and_wait();
    return mine;
}

/// Whether no update of any rank was lost: weights are as many steps from 0, or `most` apart from
/// that.
bool are_whole(const std::vector<float>& weights, float most) {
    constexpr auto all = static_cast<float>(ranks * updates_of_rank);
    for (std::size_t i = 0; i < 300 * 300; ++i)
        if (!(std::abs(weights[i] - all) <= most)) return false;
    return true;
}

}  // namespace

TORCH_LIBRARY_IMPL(aten, CPU, library) { library.impl("copy_", copy); }

/// As much of src/comm as the arrays ask for, where threads are ranks.
namespace civitas::comm {

Communicator::Communicator(MPI_Comm /*owned*/, SharedObserver observer)
    : rank_{this_rank}, size_(ranks), observer_(std::move(observer)) {}
Communicator Communicator::self() { return {MPI_COMM_NULL, nullptr}; }
void Communicator::barrier() const { meeting().arrive_and_wait(); }
void CommTraits::destroy(type /*comm*/) noexcept {}
NodeMemory::NodeMemory(const Communicator& /*node*/, std::int64_t bytes,
                       const std::filesystem::path& /*disk*/)
    : bytes_(shared_block(bytes)) {}
at::Tensor part(const at::Tensor& flat, Range slice) {
    return flat.narrow(0, slice.begin, slice.count);
}

}  // namespace civitas::comm

/// libtorch's own locks and counts of references are not seen, so what it frees is not looked at.
extern "C" const char* __tsan_default_options() {
    return "ignore_noninstrumented_modules=1:halt_on_error=1";
}

int main() {
    at::set_num_threads(1);
    bool whole = true;
    std::mutex guard;
    std::vector<std::thread> threads;
    for (int rank = 0; rank < ranks; ++rank)
        threads.emplace_back([&, rank] {
            this_rank = rank;
            const c10::InferenceMode nothing_is_taped;
            at::set_num_threads(1);
            const auto check = [&](AsyncMoments moments, OptimizerKind kind, float most) {
                const std::vector<float> mine = updated(moments, kind);
                const std::scoped_lock lock(guard);
                whole = whole && are_whole(mine, most);
            };
            // By a gradient that stays the same a step of Adam is the learning rate, too, nearly
            // so where the moments of a slice lag behind the count of steps.
            check(AsyncMoments::shared, OptimizerKind::adam, 0.5F);
            check(AsyncMoments::own, OptimizerKind::adam, 0.001F);
            check(AsyncMoments::shared, OptimizerKind::sgd, 0);
        });
    for (std::thread& thread : threads) thread.join();
    return whole ? 0 : (std::puts("an update was lost"), 1);
}
