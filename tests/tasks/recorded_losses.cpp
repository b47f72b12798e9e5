#include "support/tensor.hpp"

#include "civitas/schedule/gan.hpp"
#include "civitas/tasks/recorded_losses.hpp"

#include <cmath>

using namespace civitas;
using namespace civitas::tasks;

namespace {

const std::vector<schedule::PassId> passes{schedule::gan::real, schedule::gan::fake};

at::Tensor figures(double loss, double other) { return torch::tensor({loss, other}, at::kDouble); }

}  // namespace

TEST_CASE("losses are told in order, however they were read") {
    RecordedLosses losses(passes, {2, 1});
    losses.record(passes[0], LocalMicroBatch{0}, figures(1, 2));
    losses.record(passes[0], LocalMicroBatch{1}, figures(3, 4));
    losses.begin_reading();
    losses.begin_reading();
    losses.record(passes[1], LocalMicroBatch{1}, figures(7, 8));
    losses.begin_reading();
    losses.record(passes[1], LocalMicroBatch{0}, figures(5, 6));
    CHECK_FALSE(losses.fault());
    CHECK(losses.all(2) == std::vector<double>{1, 2, 5, 6, 3, 4, 7, 8});
    losses.clear();
    CHECK(losses.all(2).empty());
}

TEST_CASE(
    "losses that nobody has begun to read make a number what they are, other figures do not") {
    RecordedLosses losses(passes, {2, 1});
    const at::Tensor number = torch::tensor(1.0, at::kDouble);
    losses.add_to(number);
    CHECK(number.item<double>() == 1);
    losses.record(passes[0], LocalMicroBatch{0}, figures(2, NAN));
    losses.record(passes[0], LocalMicroBatch{1}, figures(3, INFINITY));
    losses.add_to(number);
    CHECK(number.item<double>() == 6);
    losses.begin_reading();
    losses.record(passes[1], LocalMicroBatch{1}, figures(INFINITY, 0));
    losses.add_to(number);
    CHECK(number.item<double>() == INFINITY);
    REQUIRE(losses.fault());
    CHECK(losses.fault()->pass == passes[1]);
    CHECK(losses.fault()->micro == LocalMicroBatch{1});
}

TEST_CASE("what went bad first is told first, whatever has come since") {
    RecordedLosses losses(passes, {2, 1});
    losses.record(passes[0], LocalMicroBatch{0}, figures(1, 2));
    losses.begin_reading();
    losses.record(passes[1], LocalMicroBatch{0}, figures(NAN, 2));
    losses.begin_reading();
    CHECK_FALSE(losses.next_fault());
    REQUIRE(losses.next_fault());
    CHECK(losses.next_fault()->pass == passes[1]);
}

TEST_CASE("numbers for the host are doubles, one tensor after the other") {
    const memory::PendingNumbers numbers({figures(1, 2), torch::tensor({3.0}, at::kDouble)});
    const auto told = numbers.wait();
    CHECK(std::vector<double>(told.begin(), told.end()) == std::vector<double>{1, 2, 3});
    CHECK_THROWS_AS(memory::PendingNumbers({torch::ones({1}, at::kFloat)}), Error);
}
