#include "civitas/base/signals.hpp"

#include "civitas/base/error.hpp"

#include <sys/signalfd.h>
#include <unistd.h>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace civitas {

void DescriptorTraits::destroy(type descriptor) noexcept { ::close(descriptor); }

StopSignals::StopSignals() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGTERM);
    if (pthread_sigmask(SIG_BLOCK, &set, nullptr) != 0)
        throw LibraryError("pthread_sigmask", std::strerror(errno));
    descriptor_ = Descriptor(signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
    if (!descriptor_) throw LibraryError("signalfd", std::strerror(errno));
}

bool StopSignals::requested() {
    signalfd_siginfo info{};
    while (::read(descriptor_.get(), &info, sizeof info) == sizeof info) seen_ = true;
    return seen_;
}

}  // namespace civitas
