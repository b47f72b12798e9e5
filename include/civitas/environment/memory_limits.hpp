#pragma once
/// What the kernel lets the processes of a job have.
#include <filesystem>
#include <string>

namespace civitas::environment {

/// Where the kernel tells of control groups.
struct ControlGroups {
    std::filesystem::path root = "/sys/fs/cgroup";
    std::filesystem::path membership = "/proc/self/cgroup";
};

/// Bytes that a container or a batch system lets the processes of this one's control group have
/// together, the groups above it counted in, of versions 1 and 2; infinity where nothing limits it.
[[nodiscard]] double memory_of_groups(const ControlGroups& groups = {});

/// Bytes of this machine's memory that they may have.
[[nodiscard]] double memory_of_machine();

/// Bytes that this process alone may hold in memory: what `ulimit -v` leaves of its address space,
/// and what it holds now; infinity where nothing limits it.
[[nodiscard]] double memory_of_process();

}  // namespace civitas::environment
