#include "civitas/base/signals.hpp"

#include "civitas/base/error.hpp"
#include "civitas/base/process.hpp"
#include "civitas/base/text.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iostream>

namespace civitas {
namespace {

constexpr int ended_by_request = 75;

sigset_t stop_signals() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGTERM);
    return set;
}

Descriptor required(int descriptor, const char* call) {
    if (descriptor < 0) throw LibraryError(call, system_error());
    return Descriptor(descriptor);
}

}  // namespace

void DescriptorTraits::destroy(type descriptor) noexcept { ::close(descriptor); }

StopSignals::StopSignals() {
    const sigset_t set = stop_signals();
    if (const int error = pthread_sigmask(SIG_BLOCK, &set, nullptr); error != 0)
        throw LibraryError("pthread_sigmask", std::strerror(error));
    descriptor_ = required(signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC), "signalfd");
    started_ = required(eventfd(0, EFD_CLOEXEC), "eventfd");
    watch_ = std::thread([this] { watch_start(); });
}

StopSignals::~StopSignals() { started(); }

void StopSignals::watch_start() {
    std::array<pollfd, 2> sources{{{descriptor_.get(), POLLIN, 0}, {started_.get(), POLLIN, 0}}};
    while (::poll(sources.data(), sources.size(), -1) < 0 && errno == EINTR) {
    }
    if (sources[1].revents != 0 || sources[0].revents == 0) return;
    const std::lock_guard only_one(last_act_guard_);
    if (last_act_) last_act_();
    if (is_first_of_job())
        std::cerr << "stopped on request before the first step: there is nothing to save\n"
                  << std::flush;
    std::_Exit(ended_by_request);
}

void StopSignals::set_last_act(std::function<void()> act) {
    const std::lock_guard only_one(last_act_guard_);
    last_act_ = std::move(act);
}

StopSignals::LastAct::LastAct(StopSignals& signals, std::function<void()> act) : signals_(signals) {
    signals_.set_last_act(std::move(act));
}

StopSignals::LastAct::~LastAct() { signals_.set_last_act(nullptr); }

void StopSignals::started() {
    if (!watch_.joinable()) return;
    const std::uint64_t once = 1;
    while (::write(started_.get(), &once, sizeof once) < 0 && errno == EINTR) {
    }
    watch_.join();
}

bool StopSignals::requested() {
    started();
    signalfd_siginfo info{};
    while (::read(descriptor_.get(), &info, sizeof info) == sizeof info) seen_ = true;
    if (share_ && share_(seen_)) seen_ = true;
    return seen_;
}

void let_stop_signals_end_us() {
    const sigset_t set = stop_signals();
    pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

void ignore_file_size_signal() { std::signal(SIGXFSZ, SIG_IGN); }

}  // namespace civitas
