#include "civitas/environment/board.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <thread>

using namespace civitas;
using namespace civitas::environment;

namespace {

/// A board in memory of this process alone.
class OwnBoard {
public:
    explicit OwnBoard(int ranks)
        : memory_(static_cast<std::size_t>(Board::bytes_for(ranks)) / sizeof(std::uint64_t)) {}
    [[nodiscard]] Board open(int ranks) {
        return {std::as_writable_bytes(std::span(memory_)), ranks};
    }

private:
    std::vector<std::uint64_t> memory_;
};

Activity in_step(std::int64_t step) {
    Activity activity;
    activity.step = step;
    activity.micro = static_cast<std::int32_t>(step);
    activity.awaited = {static_cast<std::int32_t>(step), 1, 1};
    return activity;
}

}  // namespace

TEST_CASE("a board shows the posts of each rank, the last ones when there are many") {
    OwnBoard memory(3);
    Board board = memory.open(3);
    Board other = memory.open(3);
    CHECK(board.progress() == 0);
    CHECK_FALSE(board.newest(1));
    CHECK(board.posts(1).empty());
    for (NodeTime step = 1; step <= 100; ++step) board.post(1, in_step(step), 10 * step);
    board.post(2, in_step(7), 3);
    CHECK(other.progress() == 101);
    CHECK(other.posts(0).empty());
    REQUIRE(other.posts(2).size() == 1);
    CHECK(other.posts(2).front().activity == in_step(7));
    const auto posts = other.posts(1);
    REQUIRE(posts.size() == Board::kept);
    for (std::size_t i = 0; i < posts.size(); ++i) {
        const auto step = static_cast<std::int64_t>(101 - Board::kept + i);
        CHECK(posts[i].activity == in_step(step));
        CHECK(posts[i].at == 10 * step);
    }
    CHECK(other.newest(1)->activity == in_step(100));
    board.amend(1, in_step(200), 1007);
    board.amend(0, in_step(1), 1007);
    CHECK(other.progress() == 102);
    CHECK(other.posts(0).empty());
    REQUIRE(other.posts(1).size() == Board::kept);
    CHECK(other.newest(1)->activity == in_step(200));
    CHECK(other.newest(1)->begun == 1000);
    CHECK(other.newest(1)->at == 1007);
    CHECK(other.seen(1) == 0);
    board.beat(1, 4711, 55);
    CHECK(other.seen(1) == 55);
    CHECK(other.process(1) == 4711);
}

TEST_CASE("one of all claims to tell of a standstill, and of the next one when that is over") {
    OwnBoard memory(1);
    Board board = memory.open(1);
    CHECK_FALSE(board.release(0));
    CHECK(board.claim(0));
    CHECK_FALSE(board.claim(0));
    CHECK_FALSE(board.claim(5));
    CHECK_FALSE(board.release(5));
    CHECK((board.claimed(0) && !board.claimed(5)));
    CHECK(board.release(0));
    CHECK_FALSE(board.claimed(0));
    CHECK_FALSE(board.release(0));
    CHECK(board.claim(5));
}

TEST_CASE("who reads while a rank posts sees whole posts, in order") {
    OwnBoard memory(1);
    Board board = memory.open(1);
    std::atomic<bool> over = false;
    std::thread poster([&] {
        for (std::int64_t step = 1; !over; step += 2) {
            board.post(0, in_step(step), step);
            board.amend(0, in_step(step + 1), step + 1);
        }
    });
    const auto is_whole = [](const Posted& posted) {
        return posted.activity == in_step(posted.at);
    };
    bool whole = true;
    std::int64_t last = 0;
    for (int i = 0; i < 300'000 || last < 10'000; ++i) {
        const auto newest = board.newest(0);
        if (!newest) continue;
        whole = whole && is_whole(*newest) && newest->at >= last;
        last = newest->at;
    }
    for (int i = 0; i < 1000; ++i)
        for (const Posted& posted : board.posts(0)) whole = whole && is_whole(posted);
    over = true;
    poster.join();
    CHECK(whole);
}
