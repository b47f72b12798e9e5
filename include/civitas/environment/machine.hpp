#pragma once
/// The process on its machine: threads, allocator, number formats, instruction set.
#include "civitas/base/log.hpp"
#include "civitas/base/version.hpp"
#include "civitas/comm/communicator.hpp"

#include <optional>
#include <string>
#include <vector>

namespace civitas::environment {

/// Prepares the process; call first. Freed memory is kept, whichever thread frees it: fresh 100 MB
/// buffers would cost 30 000 page faults a step. Denormals are flushed before any thread starts:
/// Adam's moments would run into them.
void prepare_process();

/// Cores in this process's affinity mask. Throws LibraryError where Linux does not tell.
[[nodiscard]] int usable_cores();

/// Sets libtorch's threads, those of one replica of a rank, and returns their number. `wish`: of a
/// rank; none: cores of this rank's affinity mask divided by the ranks of the node that share it,
/// OMP_THREAD_LIMIT at most, the same on all ranks. Warns when the job leaves cores unused, or has
/// more threads than cores. Collective.
int set_threads(const comm::Communicator& world, std::optional<int> wish, Log& log,
                int replicas = 1);

/// What this rank computes with: libtorch and the instruction set.
[[nodiscard]] std::vector<Component> components();

/// What convolutions are computed with, `AVX512+avx512_bf16`, and where kernels of our own are not
/// computed as ATen's are, `AVX2 (kernels AVX512)`. Throws AgreedError when ranks differ, since
/// they would not compute the same bits. Collective.
[[nodiscard]] std::string agreed_instruction_set(const comm::Communicator& world);

/// From now on large blocks that are freed go back to the machine at once, in spite of
/// prepare_process(): for processes whose memory is scarcer than their time.
void keep_less_memory();

/// Gives memory that was freed back to the machine, though prepare_process() keeps it: after work
/// of other sizes than what follows.
void give_memory_back();

/// Resident memory of this process, now and again; of memory that processes share an equal part
/// counts as that of each.
class ResidentMemory {
public:
    /// Bytes. How much counts as that of others is looked up at the first call and every so many:
    /// that takes as long as there are pages.
    [[nodiscard]] std::int64_t bytes();

private:
    int calls_until_look_ = 0;
    std::int64_t of_others_ = 0;
};
/// The most bytes that were ever resident in this process; of memory that processes share now an
/// equal part counts as that of each.
[[nodiscard]] std::int64_t most_resident_bytes();

}  // namespace civitas::environment
