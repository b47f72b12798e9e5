#include "civitas/environment/memory_limits.hpp"

#include <sys/resource.h>
#include <unistd.h>
#include <algorithm>
#include <fstream>
#include <limits>

namespace civitas::environment {
namespace {

namespace fs = std::filesystem;

constexpr double unlimited = std::numeric_limits<double>::infinity();

/// The least limit of a group and all above it.
double least_limit(const fs::path& root, const std::string& group, const char* file) {
    double least = unlimited;
    fs::path inner = fs::path(group).relative_path();
    for (;; inner = inner.parent_path()) {
        double bytes = 0;  // `max` is no number
        if (std::ifstream(root / inner / file) >> bytes && bytes > 0)
            least = std::min(least, bytes);
        if (inner.empty()) return least;
    }
}

}  // namespace

double memory_of_groups(const ControlGroups& groups) {
    double least = std::min(least_limit(groups.root, "", "memory.max"),
                            least_limit(groups.root / "memory", "", "memory.limit_in_bytes"));
    std::ifstream in(groups.membership);
    std::string hierarchy, controllers, group;
    while (std::getline(in, hierarchy, ':') && std::getline(in, controllers, ':') &&
           std::getline(in, group)) {
        if (controllers.empty())
            least = std::min(least, least_limit(groups.root, group, "memory.max"));
        else if (("," + controllers + ",").find(",memory,") != std::string::npos)
            least = std::min(least,
                             least_limit(groups.root / "memory", group, "memory.limit_in_bytes"));
    }
    return least;
}

double memory_of_machine() {
    const auto pages = static_cast<double>(::sysconf(_SC_PHYS_PAGES));
    return std::min(pages * static_cast<double>(::sysconf(_SC_PAGESIZE)), memory_of_groups());
}

double memory_of_process() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return unlimited;
    double pages = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> pages >> resident;
    const auto page = static_cast<double>(::sysconf(_SC_PAGESIZE));
    return std::max(1.0, static_cast<double>(limit.rlim_cur) - (pages - resident) * page);
}

}  // namespace civitas::environment
