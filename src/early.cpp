// What must happen before the constructors of any library: the linker puts `begin` into
// .preinit_array, which only a program has. libtorch's constructors take a third of a second.
#include <sched.h>
#include <unistd.h>
#include <array>
#include <csignal>
#include <string_view>
#include <vector>

namespace {

/// OpenMP's threads look for work this many times before they sleep: some 0.1 ms, as long as it
/// takes to wake one up. Less loses a tenth of a step. The default of libgomp, 120 times more,
/// gains some per cent on idle cores, and takes four times as long as soon as one is shared.
constexpr const char* little_spinning = "GOMP_SPINCOUNT=2500";

/// The heap asks for large pages where the kernel leaves that to programs: finding small ones
/// costs some per cent of a step.
constexpr const char* large_pages = "GLIBC_TUNABLES=glibc.malloc.hugetlb=1";

template <class Test>
bool any_variable(char** environment, Test test) {
    for (char** at = environment; *at != nullptr; ++at)
        if (test(std::string_view(*at))) return true;
    return false;
}

bool has(char** environment, std::string_view begin) {
    return any_variable(environment,
                        [&](std::string_view variable) { return variable.starts_with(begin); });
}

/// It preloads itself.
bool is_valgrind(char** environment) {
    return any_variable(environment, [](std::string_view variable) {
        return variable.find("vgpreload") != std::string_view::npos;
    });
}

/// Which has no team of threads.
bool is_one_core() {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    return sched_getaffinity(0, sizeof cores, &cores) == 0 && CPU_COUNT(&cores) == 1;
}

/// Of what libraries read in their constructors, that which nobody has set. Under valgrind a new
/// program would be left unwatched.
std::vector<const char*> missing(char** environment) {
    std::vector<const char*> all;
    if (is_valgrind(environment)) return all;
    if (!is_one_core() && !has(environment, "GOMP_SPINCOUNT=") &&
        !has(environment, "OMP_WAIT_POLICY="))
        all.push_back(little_spinning);
    if (!has(environment, "GLIBC_TUNABLES=")) all.push_back(large_pages);
    return all;
}

/// Starts this program once more with what is missing, which is then there: it does so once. On
/// failure things stay as they were.
void add_to_environment(char** arguments, char** environment) {
    const auto added = missing(environment);
    if (added.empty()) return;
    std::array<char, 4096> program{};
    const auto length = readlink("/proc/self/exe", program.data(), program.size() - 1);
    // Where the loader was called with this program as a word, it is the loader that would start.
    if (length <= 0 || std::string_view(program.data()).find("/ld-linux") != std::string_view::npos)
        return;
    std::vector<char*> all;
    for (char** at = environment; *at != nullptr; ++at) all.push_back(*at);
    for (const char* variable : added) all.push_back(const_cast<char*>(variable));
    all.push_back(nullptr);
    execve(program.data(), arguments, all.data());
}

/// From here on a request to stop waits for StopSignals instead of ending the process.
void keep_stop_signals() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, nullptr);
}

void begin(int count, char** arguments, char** environment) {
    if (count > 1 && std::string_view(arguments[1]) == "train") keep_stop_signals();
    add_to_environment(arguments, environment);
}

[[gnu::section(".preinit_array"), gnu::used]] void (*const before_constructors)(int, char**,
                                                                                char**) = begin;

}  // namespace
