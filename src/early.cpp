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

bool names(const char* variable, std::string_view name) {
    return std::string_view(variable).starts_with(name);
}

/// One core has no team of threads; under valgrind the new program would be left unwatched.
bool spinning_is_ours(char** environment) {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    if (sched_getaffinity(0, sizeof cores, &cores) == 0 && CPU_COUNT(&cores) == 1) return false;
    for (char** at = environment; *at != nullptr; ++at)
        if (names(*at, "GOMP_SPINCOUNT=") || names(*at, "OMP_WAIT_POLICY=") ||
            std::string_view(*at).find("vgpreload") != std::string_view::npos)
            return false;
    return true;
}

/// libgomp reads its environment in its constructor: this program is started once more with the
/// variable set. It then finds it there, so it does so once. On failure things stay as they were.
void spin_little(char** arguments, char** environment) {
    if (!spinning_is_ours(environment)) return;
    std::array<char, 4096> program{};
    const auto length = readlink("/proc/self/exe", program.data(), program.size() - 1);
    // Where the loader was called with this program as a word, it is the loader that would start.
    if (length <= 0 || std::string_view(program.data()).find("/ld-linux") != std::string_view::npos)
        return;
    std::vector<char*> more;
    for (char** at = environment; *at != nullptr; ++at) more.push_back(*at);
    more.push_back(const_cast<char*>(little_spinning));
    more.push_back(nullptr);
    execve(program.data(), arguments, more.data());
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
    spin_little(arguments, environment);
}

[[gnu::section(".preinit_array"), gnu::used]] void (*const before_constructors)(int, char**,
                                                                                char**) = begin;

}  // namespace
