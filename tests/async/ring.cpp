#include "support/catch.hpp"

#include "civitas/async/ring.hpp"

#include <array>
#include <thread>

using civitas::async::Ring;

namespace {

struct Message {
    std::int64_t number, copy;
    friend bool operator==(const Message&, const Message&) = default;
};

/// Memory of a ring of so many messages.
template <std::size_t messages>
struct Memory {
    alignas(64) std::array<std::byte, Ring<Message>::bytes_for(messages)> bytes = {};
    [[nodiscard]] Ring<Message> ring() { return {bytes, messages}; }
};

}  // namespace

TEST_CASE("messages are taken in the order in which they were put, each once") {
    Memory<3> memory;
    const Ring<Message> in = memory.ring(), out = memory.ring();
    CHECK_FALSE(out.take());
    for (std::int64_t round = 0; round < 4; ++round) {
        for (std::int64_t i = 0; i < 3; ++i) CHECK(in.put({round, i}));
        CHECK_FALSE(in.put({round, 3}));
        for (std::int64_t i = 0; i < 3; ++i) CHECK(out.take() == Message{round, i});
        CHECK_FALSE(out.take());
        CHECK(in.put({round, 4}));
        CHECK(out.take() == Message{round, 4});
    }
}

TEST_CASE("one puts messages while another takes them") {
    constexpr std::int64_t messages = 20'000;
    Memory<7> memory;
    std::thread puts([in = memory.ring()] {
        for (std::int64_t i = 0; i < messages; ++i)
            while (!in.put({i, -i})) std::this_thread::yield();
    });
    const Ring<Message> out = memory.ring();
    std::int64_t right = 0;
    for (std::int64_t i = 0; i < messages;) {
        const auto message = out.take();
        if (!message) {
            std::this_thread::yield();
            continue;
        }
        right += *message == Message{i, -i} ? 1 : 0;
        ++i;
    }
    puts.join();
    CHECK(right == messages);
    CHECK_FALSE(out.take());
}
