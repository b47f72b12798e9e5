#pragma once
/// Turns of processes, or threads, at parts of memory that they share.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <thread>

namespace civitas::async {

/// Who wants to change a part waits until those who came before are done (a ticket lock). What is
/// written in one turn is seen in the next.
class Turns {
public:
    [[nodiscard]] static constexpr std::size_t bytes_for(std::size_t parts) {
        return parts * sizeof(Line);
    }
    /// `memory`: bytes_for(parts), zeros at first, at a multiple of alignof(std::max_align_t).
    Turns(std::span<std::byte> memory, std::size_t parts)
        : lines_(reinterpret_cast<Line*>(memory.data()), parts) {}

    [[nodiscard]] std::size_t parts() const noexcept { return lines_.size(); }
    /// Calls `work(version)` in a turn of its own. The version belongs to the part: how often it
    /// has been changed, as those who change it count.
    template <class Work>
    void take(std::size_t part, Work&& work) const {
        const Turn turn(lines_[part]);
        work(lines_[part].version);
    }
    /// A version that the part has, or had lately.
    [[nodiscard]] std::uint64_t version(std::size_t part) const {
        return std::atomic_ref(lines_[part].published).load(std::memory_order_acquire);
    }

private:
    /// One part's, on a cache line of its own.
    struct Line {
        std::uint32_t next, serving;
        std::uint64_t version;
        std::uint64_t published;
        std::byte rest[40];
    };
    static_assert(sizeof(Line) == 64);

    class Turn {
    public:
        explicit Turn(Line& line) : line_(line) {
            const auto mine = std::atomic_ref(line.next).fetch_add(1, std::memory_order_relaxed);
            const std::atomic_ref serving(line.serving);
            while (serving.load(std::memory_order_acquire) != mine) std::this_thread::yield();
        }
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;
        Turn(Turn&&) = delete;
        Turn& operator=(Turn&&) = delete;
        ~Turn() {
            std::atomic_ref(line_.published).store(line_.version, std::memory_order_release);
            std::atomic_ref(line_.serving).fetch_add(1, std::memory_order_release);
        }

    private:
        Line& line_;
    };

    std::span<Line> lines_;
};

}  // namespace civitas::async
