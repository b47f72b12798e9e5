#pragma once
/// Machines on which a job does several things at once.

namespace civitas {

/// What a run has of a machine that it shares with other runs of its job.
struct MachineShare {
    double part = 1;     ///< of this rank's machine: cores, memory, memory that ranks share
    int taken_gpus = 0;  ///< by replicas of other runs' ranks on it, before those of this one
};

}  // namespace civitas
