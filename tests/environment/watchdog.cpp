#include "civitas/environment/watchdog.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>

using namespace civitas;
using namespace civitas::environment;
using namespace std::chrono_literals;

namespace {

/// Two watchdogs of one node, as two processes have them, and what they did. Their mesh begins at
/// rank 4 of the job.
class Node {
public:
    /// `each_moves`: see WatchdogPlace.
    explicit Node(bool each_moves = false, double grace_s = 0.1) {
        for (int slot = 0; slot < 2; ++slot)
            dogs_.push_back(std::make_unique<Watchdog>(
                board,
                WatchdogPlace{{Rank{4}, Rank{5}}, {{Axis::data, 2}}, slot, Rank{4}, each_moves},
                Patience{.limit_s = 0.2, .grace_s = grace_s, .interval_s = 0.02},
                WatchdogActs{[this](const Standstill& s) {
                                 told_of = s.ranks.size();
                                 last_rank = index(s.ranks.back().rank);
                                 last_place = s.ranks.back().coordinate[Axis::data];
                                 told_of_all = s.of_all;
                                 ++told;
                                 std::this_thread::sleep_for(telling.load());
                             },
                             [this](std::optional<Rank>) { ++taken_back; }, [this] { ++ended; }}));
    }
    /// Posts of ranks, for a time that is too long for one that does not move.
    void moves(std::initializer_list<int> slots) {
        for (int i = 0; i < 60; ++i) {
            for (const int slot : slots) board.post(slot, {}, node_time());
            std::this_thread::sleep_for(10ms);
        }
    }
    /// True once `seen()` holds, which is waited for.
    template <class Seen>
    static bool comes(const Seen& seen) {
        for (int i = 0; i < 500 && !seen(); ++i) std::this_thread::sleep_for(10ms);
        return seen();
    }

private:
    std::vector<std::uint64_t> memory_ = std::vector<std::uint64_t>(
        static_cast<std::size_t>(Board::bytes_for(2)) / sizeof(std::uint64_t));

public:
    Board board{std::as_writable_bytes(std::span(memory_)), 2};
    std::atomic<int> told = 0, taken_back = 0, ended = 0;
    std::atomic<std::size_t> told_of = 0;
    std::atomic<bool> told_of_all = false;
    std::atomic<int> last_rank = 0, last_place = 0;
    std::atomic<std::chrono::milliseconds> telling = 0ms;

private:
    std::vector<std::unique_ptr<Watchdog>> dogs_;
};

}  // namespace

TEST_CASE("one watchdog tells that nobody moves, all end their processes") {
    Node node;
    node.board.post(0, {}, node_time());
    REQUIRE(Node::comes([&] { return node.ended == 2; }));
    CHECK(node.told == 1);
    CHECK(node.told_of == 2);
    CHECK(node.last_rank == 5);
    CHECK(node.last_place == 1);
    CHECK(node.taken_back == 0);
}

TEST_CASE("who tells where it hangs does not keep the others from ending") {
    Node node;
    node.telling = 1500ms;
    const auto begun = std::chrono::steady_clock::now();
    REQUIRE(Node::comes([&] { return node.ended == 2; }));
    CHECK(std::chrono::steady_clock::now() - begun < 1400ms);
}

TEST_CASE("a rank that is woken when the others have ended the job ends and tells nothing") {
    Node node(true);
    node.board.post(0, {}, node_time());
    REQUIRE(Node::comes([&] { return node.ended == 2; }));
    std::atomic<int> told = 0, ended = 0;
    const Watchdog woken(
        node.board, {{Rank{4}, Rank{5}}, {{Axis::data, 2}}, 1, Rank{4}, true},
        {.limit_s = 0.2, .grace_s = 0.1, .interval_s = 0.02},
        {[&](const Standstill&) { ++told; }, [](std::optional<Rank>) {}, [&] { ++ended; }});
    node.moves({1});
    CHECK(ended == 1);
    CHECK(told == 0);
}

TEST_CASE("while one of the ranks moves nothing is told; who moves late is told to go on") {
    Node node;
    node.moves({1});
    CHECK(node.told == 0);
    REQUIRE(Node::comes([&] { return node.told == 1; }));
    node.board.post(0, {}, node_time());
    CHECK(Node::comes([&] { return node.taken_back == 1; }));
    CHECK(node.ended == 0);
}

TEST_CASE(
    "where each rank is to move, one that does not is told of once, whoever moves beside it") {
    Node node(true);
    node.board.post(0, {}, node_time());
    node.moves({1});
    CHECK(Node::comes([&] { return node.ended == 2; }));
    CHECK(node.told == 1);
    CHECK_FALSE(node.told_of_all);
    CHECK(node.told_of == 2);
}

TEST_CASE("where each rank is to move, one that waits for a rank that moves is no hang") {
    Node node(true);
    const Activity waits{.awaited = row_of(Rank{5})};
    node.board.post(0, waits, node_time());
    node.moves({1});
    CHECK(node.told == 0);
    node.board.post(1, waits, node_time());
    REQUIRE(Node::comes([&] { return node.ended == 2; }));
    CHECK(node.told == 1);
    CHECK(node.told_of_all);
}

TEST_CASE("where each rank is to move, two that do not are told of once") {
    Node node(true);
    node.board.post(0, {}, node_time());
    node.board.post(1, {}, node_time());
    REQUIRE(Node::comes([&] { return node.ended == 2; }));
    CHECK(node.told == 1);
    CHECK(node.taken_back == 0);
}

TEST_CASE("where each rank is to move, one that still stands is told of when another goes on") {
    Node node(true, 2);
    node.board.post(0, {}, node_time());
    node.board.post(1, {}, node_time());
    REQUIRE(Node::comes([&] { return node.told == 1; }));
    node.moves({0});
    CHECK(node.told == 2);
    CHECK(node.taken_back == 1);
    REQUIRE(Node::comes([&] { return node.ended == 2; }));
    CHECK_FALSE(node.told_of_all);
}

TEST_CASE("where each rank is to move, two that go on at once are told of once") {
    Node node(true, 2);
    node.board.post(0, {}, node_time());
    node.board.post(1, {}, node_time());
    REQUIRE(Node::comes([&] { return node.told == 1; }));
    node.moves({0, 1});
    CHECK(node.told == 1);
    CHECK(node.taken_back == 1);
    CHECK(node.ended == 0);
}
