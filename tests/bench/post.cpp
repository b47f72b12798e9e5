// What a rank pays for posting what it does: nanoseconds of a post and of an amendment, with the
// clock read, and of reading a board of many ranks as a watchdog does.
#include "civitas/base/clock.hpp"
#include "civitas/environment/board.hpp"

#include <iomanip>
#include <iostream>

using namespace civitas;
using environment::Board;

namespace {

template <class Work>
void time(const char* what, int times, Work&& work) {
    const Stopwatch watch;
    for (int i = 0; i < times; ++i) work(i);
    std::cout << std::left << std::setw(32) << what << std::right << std::fixed
              << std::setprecision(1) << std::setw(10) << 1e9 * watch.seconds() / times << " ns\n";
}

}  // namespace

int main() {
    constexpr int ranks = 128, posts = 10'000'000, reads = 10'000;
    std::vector<std::uint64_t> memory(static_cast<std::size_t>(Board::bytes_for(ranks)) /
                                      sizeof(std::uint64_t));
    Board board(std::as_writable_bytes(std::span(memory)), ranks);
    environment::Activity activity;
    time("a post", posts, [&](int i) {
        activity.step = i;
        board.post(1, activity, environment::node_time());
    });
    time("an amendment", posts, [&](int i) {
        activity.step = i;
        board.amend(1, activity, environment::node_time());
    });
    std::uint64_t seen = 0;
    time("a look at 128 ranks", reads, [&](int /*i*/) {
        seen += board.progress();
        for (int slot = 0; slot < ranks; ++slot) seen += board.newest(slot) ? 1 : 0;
    });
    return seen == 0 ? 1 : 0;
}
