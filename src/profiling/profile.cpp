#include "civitas/profiling/profile.hpp"

#include "civitas/base/clock.hpp"
#include "civitas/base/printable.hpp"
#include "civitas/base/text.hpp"
#include "civitas/base/version.hpp"
#include "civitas/comm/agree.hpp"
#include "civitas/environment/machine.hpp"
#include "civitas/io/files.hpp"
#include "civitas/net/own_kernel.hpp"

#include <algorithm>
#include <filesystem>
#include <iomanip>
#include <limits>
#include <map>
#include <sstream>
#include <utility>

namespace civitas::profiling {
namespace {

/// Behind what a profile is of, where nothing was timed.
constexpr const char* estimated_words = ", estimated";

/// How many layers there is a kernel of our own for: another program may have others.
std::string kernels_of(const planner::Nets& nets) {
    std::map<std::string_view, int> layers;
    for (const net::NetDescription& net : nets.all()) {
        const auto shapes = net::shapes_of(net);
        for (std::size_t i = 0; i < net.layers.size(); ++i) {
            const auto own = net::own_kernel(net.layers[i], shapes[i], nets.choice().kernels.host);
            if (own.kernel != net::Kernel::aten) ++layers[to_string(own.kernel)];
        }
    }
    return join(layers, ", ", [](const auto& of) { return text(of.second, ' ', of.first); });
}

std::string in_words(const comm::Communicator& world, RankWork rank) {
    const std::int64_t computing = world.sum(std::int64_t{rank.computes});
    const std::string ranks =
        text(counted(world.size(), "rank", "ranks"), rank.in_step ? "" : ", each by itself,");
    return computing == world.size() ? ranks : text(computing, " of ", ranks);
}

/// What times of layers depend on most: the nets, and what they compute in.
std::string words_of_nets(const planner::Problem& problem) {
    const planner::NetChoice& nets = problem.nets.choice();
    return text(nets.net, ", ", problem.nets.pixels(), " px, ", nets.classes,
                " classes, condition ", to_string(nets.condition), ", nz ", nets.nz, ", widths ",
                join(nets.generator_widths, ","), " and ", join(nets.discriminator_widths, ","),
                ", ", to_string(nets.coding), ", ", to_string(problem.precision), ", ");
}
std::string words_of_batch(const planner::Problem& problem) {
    return text(", micro-batch ", problem.micro_batch, ", ");
}

/// Everything that times depend on. Collective.
std::string subject_of(const comm::Communicator& world, const ProfileSubject& subject,
                       const environment::Process& process) {
    const auto& [c, job, _, rank] = subject;
    const std::string ranks = in_words(world, rank);
    const std::string mine =
        text("civitas ", version(), ", ", words_of_nets(c.problem), c.problem.kernels().words(),
             " kernels (", kernels_of(c.problem.nets), ")", words_of_batch(c.problem), "noise ",
             c.hyperparameters.instance_noise, ", shift ", c.hyperparameters.translate, ", ",
             to_string(c.layout_options.device), " ", to_string(c.layout_options.stage_devices),
             ", ", process.instruction_set, ", ", process.threads, " threads, ", ranks, " on ",
             job.machine().nodes, " nodes of ", job.machine().cores, " cores");
    return world.broadcast(mine);
}

/// Seconds until all ranks have exchanged slices of so many bytes with each other: the best of a
/// few rounds. Collective.
double seconds_to_exchange(const comm::Communicator& world, std::int64_t slice) {
    constexpr int rounds = 4;
    const std::vector<std::byte> data(static_cast<std::size_t>(slice * world.size()));
    std::vector<std::byte> pieces(data.size());
    std::vector<Range> slices;
    for (int r = 0; r < world.size(); ++r) slices.push_back({r * slice, slice});
    double best = std::numeric_limits<double>::infinity();
    for (int round = 0; round < rounds; ++round) {
        world.barrier();
        const Stopwatch watch;
        world.all_to_all_slices(std::span(data), slices, std::span(pieces));
        best = std::min(best, world.max(watch.seconds()));
    }
    return best;
}

/// One rank has no backend: it keeps what MachineModel says of them.
void measure_links(const comm::Communicator& world, Profile& profile) {
    constexpr std::int64_t bytes = std::int64_t{4} << 20;
    const int others = world.size() - 1;
    const planner::MachineModel unknown;
    profile.link_rate = unknown.link_bandwidth;
    profile.link_latency = unknown.link_latency;
    if (others == 0) return;
    const std::int64_t slice = bytes / world.size();
    profile.link_latency = seconds_to_exchange(world, 1) / others;
    profile.link_rate = static_cast<double>(slice * others) / seconds_to_exchange(world, slice);
}

/// Whole layers, of which a tensor axis or small stages may leave a rank no more than a part.
bool can_be_timed(const comm::Communicator& world, const environment::Process& process,
                  const planner::CostModel& job) {
    return !world.any(process.device.is_cpu() &&
                      static_cast<double>(planner::timing_bytes(job.workload())) > job.room());
}

Profile estimated(const comm::Communicator& world, const planner::CostModel& job,
                  const std::string& of, Log& log) {
    Profile profile;
    profile.of = of + estimated_words;  // and so never of a later start
    profile.timings.as_described = job.timings();
    if (job.workload().kernels.automatic) profile.timings.by_aten = job.timings();
    profile.memory_rate = job.machine().memory_bandwidth / job.machine().ranks_of_node(job.ranks());
    measure_links(world, profile);
    log.info(text("the layers are not timed but estimated: one alone takes ",
                  megabytes(planner::timing_bytes(job.workload())), ", a rank has ",
                  megabytes(static_cast<std::int64_t>(job.room()))));
    return profile;
}

Profile measured(const comm::Communicator& world, const ProfileSubject& subject,
                 const environment::Process& process) {
    Profile profile;
    const Timed timed = timed_at_once(
        world, {subject.estimate.workload(), subject.input_work, subject.rank}, process.device);
    profile.memory_rate = timed.memory_rate;
    profile.timings = timed.timings;
    measure_links(world, profile);
    return profile;
}

std::optional<Profile> kept(const comm::Communicator& world, const std::filesystem::path& file) {
    const auto words = comm::agree(world, [&] {
        const bool there = world.is_root() && std::filesystem::is_regular_file(file);
        return there ? io::read_text_file(file) : std::string();
    });
    return parse_profile(world.broadcast(words));
}

}  // namespace

bool times_layers_of(const Profile& profile, const planner::Workload& workload) {
    const auto times_all = [&](const planner::LayerTimings& timings) {
        return std::equal(workload.nets.begin(), workload.nets.end(), timings.nets.begin(),
                          timings.nets.end(), [](const auto& net, const auto& times) {
                              return net.description.layers.size() == times.size();
                          });
    };
    return times_all(profile.timings.as_described) &&
           (!workload.kernels.automatic || times_all(profile.timings.by_aten));
}

bool is_of_nets(const Profile& profile, const planner::Problem& problem) {
    const auto has = [&](const std::string& words) {
        return profile.of.find(words) != std::string::npos;
    };
    return has(", " + words_of_nets(problem)) && has(words_of_batch(problem));
}

Profile profile_for(const comm::Communicator& world, const std::filesystem::path& file,
                    const ProfileSubject& subject, const environment::Process& process, Log& log) {
    const planner::CostModel& estimate = subject.estimate;
    const std::string of = subject_of(world, subject, process);
    if (auto profile = kept(world, file);
        profile && profile->of == of && times_layers_of(*profile, estimate.workload()))
        return *profile;
    if (!can_be_timed(world, process, estimate)) return estimated(world, estimate, of, log);
    const Stopwatch watch;
    Profile profile = measured(world, subject, process);
    profile.of = of;
    environment::give_memory_back();
    std::ostringstream line;
    line << std::fixed << std::setprecision(1) << "timed all layers in " << watch.seconds() << " s";
    log.info(line.str());
    return profile;
}

void keep_profile(const comm::Communicator& world, const std::filesystem::path& file,
                  const Profile& profile) {
    comm::on_root(world, [&] { io::write_text_file(file, to_json(profile)); });
}

bool is_far_off(double planned_s, double measured_s) {
    constexpr double too_slow = 1.5;
    constexpr double too_fast = 0.67;
    constexpr double worth_a_word_s = 0.1;  // tiny steps are spent between layers
    return std::max(planned_s, measured_s) > worth_a_word_s &&
           (measured_s > too_slow * planned_s || measured_s < too_fast * planned_s);
}

void doubt_profile(const std::filesystem::path& file, double planned_s, double measured_s,
                   Log& log) {
    if (!is_far_off(planned_s, measured_s)) return;
    std::error_code unimportant;
    if (!std::filesystem::exists(file, unimportant)) return;
    const auto profile = parse_profile(io::read_text_file(file));
    if (profile && profile->of.ends_with(estimated_words)) return;
    std::filesystem::remove(file, unimportant);
    std::ostringstream line;
    line << std::setprecision(3) << "a step takes " << measured_s << " s, " << planned_s
         << " s were planned: the layers are timed again at the next start";
    log.info(line.str());
}

planner::Configuration decide_kernels(const comm::Communicator& world,
                                      const planner::Configuration& asked, const Profile& profile,
                                      const std::optional<std::string>& of_checkpoint, Log& log) {
    if (!asked.problem.kernels().automatic) return asked;
    const auto& changes = asked.run_options.allow_change;
    const bool keep =
        of_checkpoint && std::find(changes.begin(), changes.end(), "kernels") == changes.end();
    const auto choice = comm::agree(world, [&] {
        if (!keep)
            return choose_kernels(planner::workload_of(asked.problem, asked.hyperparameters),
                                  profile.timings);
        if (const auto known = net::KernelChoice::read(*of_checkpoint)) return *known;
        throw UsageError(text("the checkpoint was made with kernels = ", printable(*of_checkpoint),
                              ", which this program does not know"),
                         Hint{"--allow-change kernels"});
    });
    const std::string words = world.broadcast(to_string(choice));
    log.info(text("kernels ", keep ? "as in the checkpoint: " : "by times: ", words));
    return with_choice(asked, net::KernelChoice::parse(words));
}

planner::CostModel by_profile(const planner::CostModel& estimate, const Profile& profile,
                              const planner::Configuration& decided) {
    planner::MachineModel machine = estimate.machine();
    const int ranks_of_node = machine.ranks_of_node(estimate.ranks());
    machine.memory_bandwidth = profile.memory_rate * ranks_of_node;
    machine.link_bandwidth = profile.link_rate;
    machine.link_latency = profile.link_latency;
    // Timed among all ranks at once: the slower way of each pair.
    const auto& served = estimate.workload().served_model;
    machine.network_bandwidth =
        profile.link_rate * (served ? served->nodes.fewest_ranks() : ranks_of_node);
    machine.network_latency = profile.link_latency;
    const planner::Workload& workload = estimate.workload();
    if (!workload.kernels.automatic)
        return {workload, machine, estimate.nodes(), profile.timings.as_described};
    auto chosen = with_choice(workload, profile.timings, decided);
    return {std::move(chosen.workload), machine, estimate.nodes(), std::move(chosen.timings)};
}

}  // namespace civitas::profiling
