#include "child.hpp"

#include "civitas/base/error.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <fstream>
#include <string_view>
#include <typeinfo>

namespace civitas::fuzz {
namespace {

constexpr rlim_t most_bytes = rlim_t{1} << 30;  // more than the process had before
constexpr rlim_t most_seconds = 5;              // of a processor
constexpr unsigned most_waiting = 60;           // seconds, for what blocks
constexpr int crash_code = 99;

/// What no message of ours has in it.
constexpr std::array<std::string_view, 10> foreign_words{
    "broken promise", "not enough memory", "_M_",          ": . ", "basic_string", "vector::",
    "std::",          "json.exception",    "unknown type", "stoi"};

rlim_t address_space() {
    rlim_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    return pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
}

/// Crashes are to be seen by the parent alone: no core file, and no handler or output of MPI's.
void confine() {
    const auto limit = [](auto resource, rlim_t most) {
        const rlimit both{most, most};
        setrlimit(resource, &both);
    };
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_AS, address_space() + most_bytes);
    limit(RLIMIT_CPU, most_seconds);
    for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL})
        std::signal(signal, SIG_DFL);
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDERR_FILENO);
    dup2(nowhere, STDOUT_FILENO);
    alarm(most_waiting);
}

std::string verdict_on(const std::exception& error, const std::string& name) {
    const std::string words = error.what();
    const auto has = [&](std::string_view mark) { return words.find(mark) != std::string::npos; };
    if (dynamic_cast<const Error*>(&error) == nullptr)
        return text("!untyped, ", typeid(error).name(), ": ", words);
    const auto* foreign = std::find_if(foreign_words.begin(), foreign_words.end(), has);
    if (foreign != foreign_words.end()) return "!words of a library: " + words;
    if (!has(name)) return "!no name of the file: " + words;
    return words;
}

/// Nothing, an error's words, or `!` and what was found.
std::string outcome_of(const std::function<void()>& work, const std::string& name) {
    try {
        work();
        return "";
    } catch (const std::exception& error) {
        return verdict_on(error, name);
    } catch (...) {
        return "!something is thrown that is no exception";
    }
}

std::string read_all(int pipe) {
    std::string words;
    std::array<char, 4096> piece{};
    for (ssize_t n = 0; (n = read(pipe, piece.data(), piece.size())) > 0;)
        words.append(piece.data(), static_cast<std::size_t>(n));
    return words;
}

Verdict verdict_of(int status, const std::string& words) {
    if (WIFSIGNALED(status)) {
        const int signal = WTERMSIG(status);
        const bool hangs = signal == SIGALRM || signal == SIGXCPU || signal == SIGKILL;
        return {End::found, text(hangs ? "does not end: " : "crash: ", strsignal(signal))};
    }
    if (WEXITSTATUS(status) != 0) return {End::found, "the process ends by itself"};
    if (words.empty()) return {End::whole};
    if (words[0] == '!') return {End::found, words.substr(1)};
    return {End::refused, words};
}

}  // namespace

Verdict attempt(const std::function<void()>& work, const std::string& name) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw Error("no pipe to a child");
    const pid_t child = fork();
    if (child < 0) throw Error("no child process");
    if (child == 0) {
        confine();
        const std::string words = outcome_of(work, name);
        const bool told =
            write(ends[1], words.data(), words.size()) == static_cast<ssize_t>(words.size());
        _exit(told ? 0 : crash_code);  // without the destructors of MPI and HDF5
    }
    close(ends[1]);
    const std::string words = read_all(ends[0]);
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    return verdict_of(status, words);
}

}  // namespace civitas::fuzz
