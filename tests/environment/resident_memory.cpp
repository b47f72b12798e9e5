// Memory that processes share counts once, whoever of them is asked.
#include "support/tensor.hpp"

#include "civitas/comm/communicator.hpp"
#include "civitas/environment/machine.hpp"
#include "civitas/memory/shared_memory.hpp"

#include <fstream>

using namespace civitas;

namespace {

bool system_tells_shares() {
    std::ifstream lines("/proc/self/smaps_rollup");
    for (std::string word; lines >> word;)
        if (word == "Pss_Shmem:") return true;
    return false;
}

}  // namespace

TEST_CASE("of memory that ranks share each counts a part") {
    const auto world = comm::Communicator::world();
    if (!system_tells_shares()) {
        WARN("not tried: this system does not tell what of memory is shared");
        return;
    }
    const auto node = memory::shared_memory(world, at::kCPU);
    constexpr std::int64_t bytes = std::int64_t{64} << 20;
    const std::int64_t before = environment::ResidentMemory().bytes();
    const std::int64_t most_before = environment::most_resident_bytes();
    const at::Tensor shared = node->zeros(bytes / 8, at::kLong);
    CHECK(shared.sum().item<std::int64_t>() == 0);  // each reads all of it
    world.barrier();
    const std::int64_t grown = environment::ResidentMemory().bytes() - before;
    const std::int64_t most_grown = environment::most_resident_bytes() - most_before;
    world.barrier();
    INFO(grown << " and at most " << most_grown << " of " << bytes);
    CHECK(grown > bytes / 4);
    CHECK(grown < bytes * 3 / 4);
    CHECK(most_grown < bytes * 3 / 4);
}
