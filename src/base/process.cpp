#include "civitas/base/process.hpp"

#include "civitas/base/error.hpp"

#include <unistd.h>
#include <array>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>

namespace civitas {
namespace {

std::string first_line(const std::string& file) {
    std::ifstream in(file);
    std::string line;
    std::getline(in, line);
    return line;
}

std::string from_environment(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

}  // namespace

std::string host_name() {
    std::array<char, 256> name{};
    if (gethostname(name.data(), name.size() - 1) != 0) return "unknown";
    return name.data();
}

// The name, in brackets, may hold anything; the fields after it are counted from 3 (the state).
std::optional<std::uint64_t> start_of_process(std::int64_t number) {
    const std::string line = first_line(text("/proc/", number, "/stat"));
    const auto end_of_name = line.rfind(')');
    if (end_of_name == std::string::npos) return {};
    std::istringstream fields(line.substr(end_of_name + 1));
    std::string state;
    fields >> state;
    if (state == "Z" || state == "X") return {};
    constexpr int fields_between = 18;  // 4 to 21
    std::string skipped;
    for (int i = 0; i < fields_between; ++i) fields >> skipped;
    std::uint64_t start = 0;
    if (!(fields >> start)) return {};
    return start;
}

ProcessId this_process() {
    const auto me = static_cast<std::int64_t>(getpid());
    return {host_name(), first_line("/proc/sys/kernel/random/boot_id"), me,
            start_of_process(me).value_or(0)};
}

JobStart this_job_start() {
    const std::string ours = from_environment("CIVITAS_JOB_ID");
    const std::string job = ours.empty() ? from_environment("SLURM_JOB_ID") : ours;
    const std::string restarts =
        from_environment(ours.empty() ? "SLURM_RESTART_COUNT" : "CIVITAS_RESTART_COUNT");
    return {job, std::strtoll(restarts.c_str(), nullptr, 10)};
}

bool is_earlier_start(const JobStart& start, const JobStart& other) {
    return !start.job.empty() && start.job == other.job && start.restarts < other.restarts;
}

std::optional<int> rank_by_launcher() {
    for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
        if (const std::string rank = from_environment(name); !rank.empty())
            return static_cast<int>(std::strtol(rank.c_str(), nullptr, 10));
    return std::nullopt;
}

bool is_first_of_job() { return rank_by_launcher().value_or(0) == 0; }

double seconds_since_process_start() {
    const auto start = start_of_process(static_cast<std::int64_t>(getpid()));
    timespec now{};
    if (!start || clock_gettime(CLOCK_BOOTTIME, &now) != 0) return 0;
    const double since_boot =
        static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
    const double begun = static_cast<double>(*start) / static_cast<double>(sysconf(_SC_CLK_TCK));
    return since_boot > begun ? since_boot - begun : 0;
}

}  // namespace civitas
