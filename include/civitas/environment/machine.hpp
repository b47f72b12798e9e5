#pragma once
/// The process on its machine: threads, allocator, number formats, instruction set.
#include "civitas/base/log.hpp"
#include "civitas/comm/communicator.hpp"

#include <optional>
#include <string>

namespace civitas::environment {

/// Keep freed memory in the process: fresh 100 MB buffers would cost 30 000 page faults a step.
/// Flush denormals before any thread starts: Adam's moments would run into them. Call first.
void prepare_process();

/// Sets libtorch's threads; without a number: cores of this rank's affinity mask divided by the
/// ranks of the node that share it, OMP_THREAD_LIMIT at most, the same on all ranks. Warns when the
/// job leaves cores unused, or has more threads than cores. Collective.
int set_threads(const comm::Communicator& world, std::optional<int> wish, Log& log);

/// `AVX512+bf16`: what convolutions are computed with. Throws AgreedError when ranks differ, since
/// they would not compute the same bits. Collective.
[[nodiscard]] std::string agreed_instruction_set(const comm::Communicator& world);

/// Gives memory that was freed back to the machine, though prepare_process() keeps it: after work
/// of other sizes than what follows.
void give_memory_back();

/// Resident memory of this process, bytes.
[[nodiscard]] std::int64_t resident_bytes();
/// The most it ever was.
[[nodiscard]] std::int64_t most_resident_bytes();

}  // namespace civitas::environment
