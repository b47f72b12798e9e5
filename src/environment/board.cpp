#include "civitas/environment/board.hpp"

#include "civitas/base/error.hpp"

#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <type_traits>

namespace civitas::environment {
namespace {

using Word = std::atomic<std::uint64_t>;
constexpr std::size_t words_of_activity = sizeof(Activity) / sizeof(std::uint64_t);
using ActivityWords = std::array<std::uint64_t, words_of_activity>;

static_assert(sizeof(Activity) == sizeof(ActivityWords), "an activity is posted as whole words");
static_assert(std::has_unique_object_representations_v<Activity>, "that have no gaps");
static_assert(Word::is_always_lock_free, "processes that share memory share no locks");

}  // namespace

/// A post, under a sequence lock.
struct Board::Entry {
    Word version;  ///< counts what its rank has written; 0 while it is written
    Word number;   ///< of the post, counted from 1
    Word begun;
    Word at;
    std::array<Word, words_of_activity> activity;
};

struct Board::Slot {
    Word posts;     ///< so far
    Word versions;  ///< written so far
    Word seen;
    Word process;
    std::array<Entry, kept> ring;
};

struct Board::Header {
    Word claimed;  ///< 1 more than the number of those whose standstill is told; 0: nobody's
    Word ended;    ///< not 0: the job is
};

NodeTime node_time() noexcept {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

std::int64_t Board::bytes_for(int ranks) {
    return static_cast<std::int64_t>(sizeof(Header) +
                                     sizeof(Slot) * static_cast<std::size_t>(ranks));
}

// What lies there are words, for which zero is a value: no process constructs them anew.
Board::Board(std::span<std::byte> memory, int ranks)
    : header_(reinterpret_cast<Header*>(memory.data())),
      slots_(reinterpret_cast<Slot*>(memory.data() + sizeof(Header))),
      ranks_(ranks) {
    ensure(std::ssize(memory) >= bytes_for(ranks), "a board has room for all ranks");
    ensure(reinterpret_cast<std::uintptr_t>(memory.data()) % alignof(Word) == 0,
           "words of a board lie where atomic ones may");
}

Board::Slot& Board::slot(int number) const noexcept { return slots_[number]; }

void Board::write(Slot& mine, std::uint64_t number, const Posted& posted) noexcept {
    const std::uint64_t version = mine.versions.load(std::memory_order_relaxed) + 1;
    Entry& entry = mine.ring[number % kept];
    const auto words = std::bit_cast<ActivityWords>(posted.activity);
    entry.version.store(0, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    entry.number.store(number, std::memory_order_relaxed);
    entry.begun.store(static_cast<std::uint64_t>(posted.begun), std::memory_order_relaxed);
    entry.at.store(static_cast<std::uint64_t>(posted.at), std::memory_order_relaxed);
    for (std::size_t i = 0; i < words.size(); ++i)
        entry.activity[i].store(words[i], std::memory_order_relaxed);
    entry.version.store(version, std::memory_order_release);
    mine.posts.store(number, std::memory_order_release);
    mine.versions.store(version, std::memory_order_release);
}

void Board::post(int slot_number, const Activity& activity, NodeTime now) noexcept {
    Slot& mine = slot(slot_number);
    write(mine, mine.posts.load(std::memory_order_relaxed) + 1, {activity, now, now});
}

void Board::amend(int slot_number, const Activity& activity, NodeTime now) noexcept {
    Slot& mine = slot(slot_number);
    const std::uint64_t number = mine.posts.load(std::memory_order_relaxed);
    if (number == 0) return;
    const std::uint64_t begun = mine.ring[number % kept].begun.load(std::memory_order_relaxed);
    write(mine, number, {activity, static_cast<NodeTime>(begun), now});
}

void Board::beat(int slot_number, std::int64_t process, NodeTime now) noexcept {
    slot(slot_number).process.store(static_cast<std::uint64_t>(process), std::memory_order_relaxed);
    slot(slot_number).seen.store(static_cast<std::uint64_t>(now), std::memory_order_release);
}

std::uint64_t Board::progress(int first, int end) const noexcept {
    std::uint64_t versions = 0;
    for (int i = first; i < end; ++i) versions += slot(i).versions.load(std::memory_order_acquire);
    return versions;
}

std::optional<Posted> Board::entry(int slot_number, std::uint64_t number) const noexcept {
    const Entry& entry = slot(slot_number).ring[number % kept];
    const std::uint64_t version = entry.version.load(std::memory_order_acquire);
    const std::uint64_t found = entry.number.load(std::memory_order_relaxed);
    const auto begun = static_cast<NodeTime>(entry.begun.load(std::memory_order_relaxed));
    const auto at = static_cast<NodeTime>(entry.at.load(std::memory_order_relaxed));
    ActivityWords words{};
    for (std::size_t i = 0; i < words.size(); ++i)
        words[i] = entry.activity[i].load(std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_acquire);
    if (version == 0 || found != number || entry.version.load(std::memory_order_relaxed) != version)
        return std::nullopt;
    return Posted{std::bit_cast<Activity>(words), begun, at};
}

std::optional<Posted> Board::newest(int slot_number) const noexcept {
    const std::uint64_t last = slot(slot_number).posts.load(std::memory_order_acquire);
    return last == 0 ? std::nullopt : entry(slot_number, last);
}

std::vector<Posted> Board::posts(int slot_number) const {
    const std::uint64_t last = slot(slot_number).posts.load(std::memory_order_acquire);
    std::vector<Posted> all;
    for (std::uint64_t number = last > kept ? last - kept + 1 : 1; number <= last; ++number)
        if (const auto posted = entry(slot_number, number)) all.push_back(*posted);
    return all;
}

NodeTime Board::seen(int slot_number) const noexcept {
    return static_cast<NodeTime>(slot(slot_number).seen.load(std::memory_order_acquire));
}

std::int64_t Board::process(int slot_number) const noexcept {
    return static_cast<std::int64_t>(slot(slot_number).process.load(std::memory_order_relaxed));
}

bool Board::claim(std::uint32_t number) noexcept {
    std::uint64_t nobody = 0;
    return header_->claimed.compare_exchange_strong(nobody, std::uint64_t{number} + 1);
}

bool Board::release(std::uint32_t number) noexcept {
    std::uint64_t claimed = std::uint64_t{number} + 1;
    return header_->claimed.compare_exchange_strong(claimed, 0);
}

bool Board::claimed(std::uint32_t number) const noexcept {
    return header_->claimed.load() == std::uint64_t{number} + 1;
}

void Board::end() noexcept { header_->ended.store(1); }

bool Board::ended() const noexcept { return header_->ended.load() != 0; }

}  // namespace civitas::environment
