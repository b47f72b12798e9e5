#include "civitas/checkpoint/background.hpp"

#include "civitas/base/error.hpp"

#include <ATen/Parallel.h>
#include <ATen/ops/empty_like.h>
#include <dlfcn.h>
#include <system_error>
#include <utility>

namespace civitas::checkpoint {
namespace {

// What ATen does for this thread it does on this thread alone: all cores have other work. Asked of
// the OpenMP library that libtorch brings along, once ATen has set this thread's number itself.
void compute_alone() {
    (void)at::get_num_threads();
    using Set = void (*)(int);
    const auto set = reinterpret_cast<Set>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"));
    if (set != nullptr) set(1);
}

}  // namespace

void BackgroundWork::start(std::function<void()> work) {
    ensure(done_, "one piece of work is under way at a time");
    outcome_ = nullptr;
    done_ = false;
    try {
        thread_ = std::jthread([this, todo = std::move(work)] {
            outcome_ = comm::outcome_of([&] {
                compute_alone();
                todo();
            });
            done_ = true;
        });
    } catch (const std::system_error&) {
        outcome_ = std::current_exception();
        done_ = true;
    }
}

comm::Outcome BackgroundWork::wait() {
    if (thread_.joinable()) thread_.join();
    return std::exchange(outcome_, nullptr);
}

StagingCopy::StagingCopy(const std::vector<Shard>& like) : copies_(like) {
    for (Shard& shard : copies_) {
        if (!shard.writes) continue;
        const auto options = shard.view.options().device(at::kCPU);
        shard.view =
            at::empty_like(shard.view, options.pinned_memory(shard.view.is_cuda())).zero_();
        bytes_ += static_cast<std::int64_t>(shard.view.nbytes());
    }
}

const std::vector<Shard>& StagingCopy::of(const std::vector<Shard>& shards) {
    const char* const promise = "every save has the same shards";
    ensure(shards.size() == copies_.size(), promise);
    for (std::size_t i = 0; i < shards.size(); ++i) {
        const Shard& from = shards[i];
        ensure(from.name == copies_[i].name && from.box == copies_[i].box, promise);
        if (!from.writes) continue;
        copies_[i].view.copy_(from.view);
        from.done_with(from.view);
    }
    return copies_;
}

void BackgroundSaver::begin(const std::filesystem::path& folder, const Header& header,
                            const std::vector<Shard>& shards, Spare spare) {
    ensure(!saving_, "one save is on its way at a time");
    const auto copies = comm::agree(ranks_, [&] { return copy_.of(shards); });
    saving_.emplace(ranks_, folder, header, copies, std::move(spare));
    work_.start([this] { saving_->work(); });
}

std::optional<Written> BackgroundSaver::advance() {
    ensure(saving_.has_value(), "a save is on its way");
    const comm::Outcome mine = work_.wait();
    std::optional<Saving> saving = std::exchange(saving_, std::nullopt);
    auto written = saving->advance(mine);
    if (written) return written;
    saving_ = std::move(saving);
    work_.start([this] { saving_->work(); });
    return {};
}

}  // namespace civitas::checkpoint
