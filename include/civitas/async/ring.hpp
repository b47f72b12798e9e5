#pragma once
/// Messages from one process, or thread, to another by memory that both share.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

namespace civitas::async {

/// The last messages that have not been taken yet, in order. One may put them in and one take them
/// out at the same time, and neither waits (a queue as of Lamport, 1977).
template <class T>
requires std::is_trivially_copyable_v<T>
class Ring {
public:
    /// A multiple of 64.
    [[nodiscard]] static constexpr std::size_t bytes_for(std::size_t messages) {
        return sizeof(Counts) + (messages * sizeof(T) + 63) / 64 * 64;
    }
    /// `memory`: bytes_for(messages), zeros at first, at a multiple of alignof(std::max_align_t).
    Ring(std::span<std::byte> memory, std::size_t messages)
        : counts_(reinterpret_cast<Counts*>(memory.data())),
          messages_(reinterpret_cast<T*>(memory.data() + sizeof(Counts)), messages) {}

    /// Returns false, and does nothing, where there is no room.
    [[nodiscard]] bool put(const T& message) const {
        const std::uint64_t number = std::atomic_ref(counts_->put).load(std::memory_order_relaxed);
        if (number - std::atomic_ref(counts_->taken).load(std::memory_order_acquire) ==
            messages_.size())
            return false;
        messages_[number % messages_.size()] = message;
        std::atomic_ref(counts_->put).store(number + 1, std::memory_order_release);
        return true;
    }
    /// The oldest one; none where there is none.
    [[nodiscard]] std::optional<T> take() const {
        const std::uint64_t number =
            std::atomic_ref(counts_->taken).load(std::memory_order_relaxed);
        if (number == std::atomic_ref(counts_->put).load(std::memory_order_acquire))
            return std::nullopt;
        const T message = messages_[number % messages_.size()];
        std::atomic_ref(counts_->taken).store(number + 1, std::memory_order_release);
        return message;
    }

private:
    /// Each on a cache line of its own.
    struct Counts {
        std::uint64_t put;
        std::byte rest_of_put[56];
        std::uint64_t taken;
        std::byte rest_of_taken[56];
    };
    static_assert(sizeof(Counts) == 128);

    Counts* counts_;
    std::span<T> messages_;
};

}  // namespace civitas::async
