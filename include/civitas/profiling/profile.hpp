#pragma once
/// What the machine that a run is on takes for its layers: measured at the first start, kept in a
/// file.
#include "civitas/base/log.hpp"
#include "civitas/comm/communicator.hpp"
#include "civitas/environment/process.hpp"
#include "civitas/planner/cost_model.hpp"
#include "civitas/profiling/timed_at_once.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace civitas::profiling {

struct Profile {
    std::string of;  ///< what it was measured for: nets, types, threads, ranks of a node ...
    KernelTimings timings;
    double memory_rate = 0;   ///< bytes a second of one rank
    double link_rate = 0;     ///< bytes a second that a rank sends while all exchange
    double link_latency = 0;  ///< seconds of an empty message
};

/// The profile as one JSON object; numbers read back to the same bits.
[[nodiscard]] std::string to_json(const Profile& profile);
/// Reads what to_json() wrote; nothing when the text is no whole profile, or one that no machine
/// can have.
[[nodiscard]] std::optional<Profile> parse_profile(const std::string& json);

/// Whether the times are of as many nets and layers as a workload has, by both where its kernels
/// are to be chosen.
[[nodiscard]] bool times_layers_of(const Profile& profile, const planner::Workload& workload);
/// Whether they are times of the same nets, precision and micro-batch, by what the profile says.
[[nodiscard]] bool is_of_nets(const Profile& profile, const planner::Problem& problem);

/// What a profile is of.
struct ProfileSubject {
    const planner::Configuration& configuration;
    /// Of the configuration, and of what a mesh has of the machine.
    const planner::CostModel& estimate;
    InputWork input_work = {};
    RankWork rank = {};
};

/// The profile in `file` when it is of these nets and this machine. Otherwise all ranks that
/// compute measure at once; where a layer alone is more than a rank has memory for, its time is
/// estimated, and said to be. Returns the same profile on all ranks. Collective; throws AgreedError
/// when `file` cannot be read.
[[nodiscard]] Profile profile_for(const comm::Communicator& world,
                                  const std::filesystem::path& file, const ProfileSubject& subject,
                                  const environment::Process& process, Log& log);
/// Writes the profile to `file`, for later starts. Collective; throws AgreedError when that fails.
void keep_profile(const comm::Communicator& world, const std::filesystem::path& file,
                  const Profile& profile);

/// Whether steps take so much more or less than was planned that the machine must have been busy
/// when the layers were timed, or be so now.
[[nodiscard]] bool is_far_off(double planned_s, double measured_s);
/// Forgets the profile in `file`, and says so, when the measured step is_far_off() the planned one,
/// unless it was only estimated. For the root, which kept it; a file that cannot be removed stays.
void doubt_profile(const std::filesystem::path& file, double planned_s, double measured_s,
                   Log& log);

/// A configuration whose kernels are to be chosen, with a choice: that of the checkpoint which the
/// run goes on from (`of_checkpoint`, its text; none: it begins), since it decides the bits, unless
/// --allow-change names the kernels; else what is fastest by the profile. Says which. Another
/// configuration as it is. All ranks take what the root chose. Collective; throws AgreedError for a
/// text that is no choice.
[[nodiscard]] planner::Configuration decide_kernels(const comm::Communicator& world,
                                                    const planner::Configuration& asked,
                                                    const Profile& profile,
                                                    const std::optional<std::string>& of_checkpoint,
                                                    Log& log);

/// An estimate's workload and nodes, with the times and rates of a profile, and with the kernels of
/// a configuration that were to be chosen. Messages between nodes, if there are any, were what took
/// longest.
[[nodiscard]] planner::CostModel by_profile(const planner::CostModel& estimate,
                                            const Profile& profile,
                                            const planner::Configuration& decided);

}  // namespace civitas::profiling
