#include "civitas/comm/sums.hpp"

#include "check.hpp"
#include "civitas/comm/waiting.hpp"

#include <algorithm>

namespace civitas::comm {

void sum_in_place(const Communicator& ranks, std::span<std::uint64_t> values) {
    const Waiting waiting(ranks);
    constexpr std::size_t most = std::size_t{1} << 28;
    for (std::size_t at = 0; at < values.size(); at += most) {
        const auto count = static_cast<int>(std::min(most, values.size() - at));
        check(MPI_Allreduce(MPI_IN_PLACE, values.data() + at, count, MPI_UINT64_T, MPI_SUM,
                            ranks.raw()),
              "MPI_Allreduce");
    }
}

}  // namespace civitas::comm
