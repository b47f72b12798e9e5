#pragma once
/// Who a process is, so that another can tell later whether it still lives.
#include <cstdint>
#include <optional>
#include <string>

namespace civitas {

/// Names a process for good: a process id comes back after a while, but not together with the
/// kernel that gave it and the time the process started.
struct ProcessId {
    std::string host;         ///< name of the machine
    std::string boot;         ///< of the kernel, another after each boot; empty where it is unknown
    std::int64_t number = 0;  ///< within the host (or the container)
    std::uint64_t start = 0;  ///< ticks of the kernel's clock since boot
    friend bool operator==(const ProcessId&, const ProcessId&) = default;
};

[[nodiscard]] ProcessId this_process();
/// Name of this machine, "unknown" where the system does not tell.
[[nodiscard]] std::string host_name();

/// A start of a job that is started again with the words of the first time: as Slurm numbers them,
/// or as jobs/workstation.sh does (CIVITAS_JOB_ID, CIVITAS_RESTART_COUNT); no job elsewhere.
struct JobStart {
    std::string job;
    std::int64_t restarts = 0;  ///< how often the job was started before
};
[[nodiscard]] JobStart this_job_start();
/// Whether both are starts of one job, `start` before `other`.
[[nodiscard]] bool is_earlier_start(const JobStart& start, const JobStart& other);

/// When the process of this number on this host started, in ticks since boot; nothing when there is
/// none, or only what is left of one that has ended.
[[nodiscard]] std::optional<std::uint64_t> start_of_process(std::int64_t number);

/// The number that Open MPI's launcher, another by PMIx or PMI, or Slurm gave this process among
/// those of its job; nothing where nobody launched it. Known without MPI.
[[nodiscard]] std::optional<int> rank_by_launcher();
/// Whether this process speaks for its job: it is the first of it, or nobody launched it.
[[nodiscard]] bool is_first_of_job();

/// Seconds since this process was started by its parent.
[[nodiscard]] double seconds_since_process_start();

}  // namespace civitas
