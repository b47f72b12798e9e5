#include "train/epochs.hpp"

#include "support/catch.hpp"

using namespace civitas;
using namespace civitas::train;

TEST_CASE("an epoch ends in the step that has its last tile") {
    // Batches of 4 of 10 tiles: tiles 0-3, 4-7, 8-11, 12-15, 16-19, ...
    const Epochs epochs(10, 4, {});
    CHECK(epochs.after(5) == 2.0);
    std::vector<std::int64_t> ends;
    for (std::int64_t step = 1; step <= 10; ++step)
        if (epochs.end_in(step)) ends.push_back(step);
    CHECK(ends == std::vector<std::int64_t>{3, 5, 8, 10});
    for (std::int64_t done = 0; done < 10; ++done) {
        const std::int64_t next = epochs.next_end(done);
        CHECK(next > done);
        CHECK(epochs.end_in(next));
        for (std::int64_t between = done + 1; between < next; ++between)
            CHECK_FALSE(epochs.end_in(between));
    }
}

TEST_CASE("a batch of several epochs ends some in every step; what was seen before counts") {
    const Epochs large(10, 25, {});
    CHECK(large.end_in(1));
    CHECK(large.next_end(1) == 2);
    const Epochs taken_up(10, 4, {StepIndex{6}, 9});
    CHECK(taken_up.end_in(7));
    CHECK(taken_up.next_end(6) == 7);
    CHECK(taken_up.next_end(7) == 9);
    CHECK_FALSE(taken_up.end_in(6));
    CHECK(Epochs(10, 4, {StepIndex{6}, 20}).end_in(6));
}
