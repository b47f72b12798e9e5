#include "support/tensor.hpp"

#include "train/one_device.hpp"

#include "civitas/base/error.hpp"

using namespace civitas;
using train::require_one_gpu;

TEST_CASE("ranks that share the memory of a GPU have the same one") {
    CHECK_NOTHROW(require_one_gpu({"a/0000:01:00.0"}));
    CHECK_NOTHROW(require_one_gpu({"a/0000:01:00.0", "a/0000:01:00.0", "a/0000:01:00.0"}));
    CHECK_THROWS_WITH(
        require_one_gpu({"a/0000:01:00.0", "a/0000:01:00.0", "a/0000:02:00.0"}),
        "--update async shares the memory of one GPU, rank 0 has a/0000:01:00.0, rank 2 has "
        "a/0000:02:00.0. Hint: CUDA_VISIBLE_DEVICES with one GPU, the same for all ranks, or "
        "--update sync.");
    CHECK_THROWS_AS(require_one_gpu({"a/0000:01:00.0", "a/0000:02:00.0"}), UsageError);
}
