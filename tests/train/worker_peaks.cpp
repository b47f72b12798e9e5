#include "train/worker_peaks.hpp"

#include "support/catch.hpp"

using namespace civitas::train;

TEST_CASE("The peak of workers is the sum of what each has measured") {
    WorkerPeaks peaks(3);
    CHECK(peaks.sum() == 0);
    peaks.tell(2, 4e9);
    CHECK(peaks.sum() == 12e9);
    peaks.tell(1, 2e9);
    CHECK(peaks.sum() == 9e9);
    peaks.tell(3, 1e9);
    peaks.tell(2, 5e9);
    CHECK(peaks.sum() == 8e9);
}
