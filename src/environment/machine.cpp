#include "civitas/environment/machine.hpp"

#include "civitas/comm/agree.hpp"
#include "civitas/simd/instruction_set.hpp"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <dlfcn.h>
#include <malloc.h>
#include <sched.h>
#include <sys/resource.h>
#include <torch/headeronly/version.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <fstream>
#include <limits>

namespace civitas::environment {
namespace {

/// An affinity mask. One cpu_set_t has bits for 1024 CPUs, and a kernel that may have more refuses
/// it.
using Cores = std::array<cpu_set_t, 64>;

Cores my_cores() {
    Cores cores{};
    if (sched_getaffinity(0, sizeof cores, cores.data()) != 0)
        throw LibraryError("sched_getaffinity", "no affinity mask");
    return cores;
}

int count_of(const Cores& cores) { return CPU_COUNT_S(sizeof cores, cores.data()); }

/// What the ranks of a machine know of its cores.
struct NodeCores {
    int mine = 1;     ///< in this rank's mask
    int sharing = 1;  ///< ranks whose masks overlap mine
    int masked = 1;   ///< in any rank's mask
};

NodeCores look_at_cores(const comm::Communicator& machine) {
    const Cores mine = my_cores();
    Cores all{};
    int sharing = 0;
    for (const Cores& other : machine.all_gather(mine)) {
        Cores common;
        CPU_AND_S(sizeof common, common.data(), mine.data(), other.data());
        sharing += count_of(common) > 0 ? 1 : 0;
        CPU_OR_S(sizeof all, all.data(), all.data(), other.data());
    }
    return {count_of(mine), sharing, count_of(all)};
}

/// oneDNN chooses kernels by more than libtorch's own capability tells.
bool processor_has(const std::string& flag) {
    std::ifstream in("/proc/cpuinfo");
    for (std::string word; in >> word;)
        if (word == flag) return true;
    return false;
}

/// oneDNN's own switch to older instructions, which libtorch knows nothing of.
std::string capped_kernels() {
    const auto cap = simd::instruction_cap();
    return cap ? text('+', cap->variable, '=', cap->set) : "";
}

/// Threads that OpenMP gives a process at most. oneDNN waits for ever for one that it did not get.
/// Asked of the library that libtorch brings along, whose name differs from build to build.
int thread_limit() {
    using Ask = int (*)();
    const auto ask = reinterpret_cast<Ask>(dlsym(RTLD_DEFAULT, "omp_get_thread_limit"));
    return ask == nullptr ? std::numeric_limits<int>::max() : ask();
}

int allowed(int threads) {
    if (threads > thread_limit())
        throw UsageError(
            text("--threads ", threads, ", but OMP_THREAD_LIMIT allows ", thread_limit()),
            Hint{text("unset OMP_THREAD_LIMIT, or --threads ", thread_limit())});
    return threads;
}

void warn_of_idle_cores(const comm::Communicator& machine, NodeCores cores, int threads, Log& log) {
    const auto there = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
    const int used = std::min(cores.masked, threads * machine.size());
    if (machine.is_root() && used < there)
        log.warn(text("the job uses ", used, " of this node's ", there, " cores. Hint: mpirun ",
                      "--bind-to none, or more ranks"));
}

/// Threads that wait for a core hold up all others of the step.
void warn_of_crowded_cores(const comm::Communicator& machine, NodeCores cores, int threads,
                           Log& log) {
    const int wanted = threads * machine.size();
    if (machine.is_root() && wanted > cores.masked)
        log.warn(text(machine.size(), " ranks of ", threads, " threads share ", cores.masked,
                      " cores of this node. Hint: --threads auto"));
}

/// What ATen, too, calls the set that kernels of our own compute with.
std::string set_of_kernels() {
    const auto set = simd::instruction_set();
    if (set == simd::InstructionSet::none) return "DEFAULT";
    return set == simd::InstructionSet::avx2 ? "AVX2" : "AVX512";
}

std::string instruction_set() {
    std::string set = at::get_cpu_capability();
    const std::string of_kernels = set_of_kernels();
    if (of_kernels != set) set += text(" (kernels ", of_kernels, ')');
    for (const char* flag : {"avx512_bf16", "amx_bf16"})
        if (processor_has(flag)) set += text('+', flag);
    const bool tiles = simd::instruction_set() == simd::InstructionSet::amx_bf16;
    if (processor_has("amx_bf16") && !tiles) set += " (refused)";
    return set + capped_kernels();
}

}  // namespace

void prepare_process() {
    (void)simd::instruction_set();  // Linux grants tiles more readily before there are threads.
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
    mallopt(M_TOP_PAD, 256 << 20);
    mallopt(M_ARENA_MAX, 1);  // Heaps of threads would give large blocks back each time.
    at::globalContext().setFlushDenormal(true);
}

void keep_less_memory() { mallopt(M_MMAP_THRESHOLD, 64 << 20); }

int usable_cores() { return count_of(my_cores()); }

int set_threads(const comm::Communicator& world, std::optional<int> wish, Log& log, int replicas) {
    const auto machine = world.split_by_machine();
    const NodeCores cores = look_at_cores(machine);
    const int share = std::max(1, cores.mine / cores.sharing);
    const int wished =
        wish ? comm::agree(world, [&] { return allowed(*wish); }) : std::min(share, thread_limit());
    const int threads = static_cast<int>(world.min(std::int64_t{wished}));
    if (wish)
        warn_of_crowded_cores(machine, cores, threads, log);
    else
        warn_of_idle_cores(machine, cores, threads, log);
    const int of_replica = std::max(1, threads / replicas);
    at::set_num_threads(of_replica);
    return of_replica;
}

std::vector<Component> components() {
    return {{"libtorch", TORCH_VERSION}, {"instruction set", instruction_set()}};
}

std::string agreed_instruction_set(const comm::Communicator& world) {
    std::string mine = instruction_set();
    const auto all = world.all_gather(mine);
    for (std::size_t r = 0; r < all.size(); ++r)
        if (all[r] != all[0])
            throw AgreedError(text("rank 0 computes with ", all[0], ", rank ", r, " with ", all[r],
                                   ": they would not give the same bits. Hint: nodes of one kind."),
                              false);
    return mine;
}

void give_memory_back() { malloc_trim(0); }

namespace {

/// The value of a line `key: 1234 kB`, bytes; 0 where the system has no such line.
std::int64_t value_in(const char* file, const std::string& key) {
    std::ifstream lines(file);
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with(key + ':')) return 1024 * std::stoll(line.substr(key.size() + 1));
    return 0;
}

/// Of the shared memory that is resident here, what counts as that of others who have it, too.
std::int64_t counted_by_others() {
    const std::int64_t mine = value_in("/proc/self/smaps_rollup", "Pss_Shmem");
    return mine == 0 ? 0 : value_in("/proc/self/status", "RssShmem") - mine;
}

}  // namespace

std::int64_t most_resident_bytes() {
    rusage usage{};
    if (getrusage(RUSAGE_SELF, &usage) != 0) return ResidentMemory().bytes();
    return std::int64_t{usage.ru_maxrss} * 1024 - counted_by_others();
}

std::int64_t ResidentMemory::bytes() {
    constexpr int calls_between_looks = 64;
    if (calls_until_look_-- == 0) {
        of_others_ = counted_by_others();
        calls_until_look_ = calls_between_looks;
    }
    std::int64_t pages = 0;
    std::int64_t resident = 0;
    std::ifstream("/proc/self/statm") >> pages >> resident;
    return resident * sysconf(_SC_PAGESIZE) - of_others_;
}

}  // namespace civitas::environment
