#pragma once
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

namespace civitas::test {

/// While it lives, this process can open `spare` files more at a time: what a system that cannot
/// read a file answers, without a failing disk.
class OpenFileLimit {
public:
    explicit OpenFileLimit(int spare) {
        std::vector<int> free;
        for (int i = 0; i <= spare; ++i) free.push_back(::open("/dev/null", O_RDONLY));
        for (const int descriptor : free) ::close(descriptor);
        getrlimit(RLIMIT_NOFILE, &before_);
        const rlimit limited{static_cast<rlim_t>(free.back()), before_.rlim_max};
        setrlimit(RLIMIT_NOFILE, &limited);
    }
    OpenFileLimit(const OpenFileLimit&) = delete;
    OpenFileLimit& operator=(const OpenFileLimit&) = delete;
    ~OpenFileLimit() { setrlimit(RLIMIT_NOFILE, &before_); }

private:
    rlimit before_{};
};

}  // namespace civitas::test
