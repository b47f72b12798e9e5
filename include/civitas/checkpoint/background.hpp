#pragma once
/// Saves that are written while something else goes on.
#include "civitas/checkpoint/saving.hpp"

#include <atomic>
#include <functional>
#include <optional>
#include <thread>

namespace civitas::checkpoint {

/// One piece of work at a time, on a thread of its own.
class BackgroundWork {
public:
    /// Begins `work`. Precondition: nothing is under way. A thread that cannot be had is an error
    /// that the work ended with.
    void start(std::function<void()> work);
    /// Whether nothing is under way. Does not wait.
    [[nodiscard]] bool done() const noexcept { return done_; }
    /// Waits for the end of the work; what it ended with.
    [[nodiscard]] comm::Outcome wait();

private:
    std::atomic<bool> done_ = true;
    comm::Outcome outcome_;
    std::jthread thread_;  // last: it ends before what it uses
};

/// Copies of shards in host memory, which stays allocated from one save to the next.
class StagingCopy {
public:
    /// Allocates for shards like these, and touches it all. Only what this rank writes is copied.
    explicit StagingCopy(const std::vector<Shard>& like);
    /// The shards with the copies for views, until the next call. Precondition: they are like those
    /// before, with other values.
    [[nodiscard]] const std::vector<Shard>& of(const std::vector<Shard>& shards);
    [[nodiscard]] std::int64_t bytes() const noexcept { return bytes_; }

private:
    std::vector<Shard> copies_;
    std::int64_t bytes_ = 0;
};

/// Writes checkpoints from copies of the shards; at most one is on its way. Whoever owns it asks at
/// times whether all ranks have done their part, and then meets them.
class BackgroundSaver {
public:
    /// Throws what comes of too little memory. `ranks` outlives the saver.
    BackgroundSaver(const comm::Communicator& ranks, const std::vector<Shard>& like)
        : ranks_(ranks), copy_(like) {}

    /// The shards may change when this returns. Collective; throws AgreedError as save() does.
    /// Precondition: none is on its way.
    void begin(const std::filesystem::path& folder, const Header& header,
               const std::vector<Shard>& shards, Spare spare = {});
    [[nodiscard]] bool on_its_way() const noexcept { return saving_.has_value(); }
    /// Whether this rank waits for nothing of its own: what it tells the others. Does not wait.
    [[nodiscard]] bool done_here() const noexcept { return work_.done(); }
    /// Ends a phase, once done_here() has been true on all ranks; otherwise it waits for them.
    /// Returns what has been written at the end of the last phase. Collective; throws AgreedError
    /// as Saving::advance() does, and then none is on its way. Precondition: one is.
    [[nodiscard]] std::optional<Written> advance();
    /// Bytes of the copies.
    [[nodiscard]] std::int64_t bytes() const noexcept { return copy_.bytes(); }

private:
    const comm::Communicator& ranks_;
    StagingCopy copy_;
    std::optional<Saving> saving_;
    BackgroundWork work_;  // last: it ends before what it uses
};

}  // namespace civitas::checkpoint
