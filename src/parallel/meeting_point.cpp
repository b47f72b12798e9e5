#include "meeting_point.hpp"

#include <utility>

namespace civitas::parallel {

void MeetingPoint::meet() {
    std::unique_lock lock(mutex_);
    if (error_) throw Abandoned();
    if (++here_ == threads_) {
        here_ = 0;
        ++meetings_;
        changed_.notify_all();
        return;
    }
    const std::int64_t awaited = meetings_;
    changed_.wait(lock, [&] { return meetings_ != awaited || error_; });
    if (meetings_ == awaited) throw Abandoned();
}

void MeetingPoint::fail(std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::move(error);
    changed_.notify_all();
}

std::exception_ptr MeetingPoint::error() const {
    const std::lock_guard lock(mutex_);
    return error_;
}

void MeetingPoint::open() {
    const std::lock_guard lock(mutex_);
    here_ = 0;
    error_ = nullptr;
}

}  // namespace civitas::parallel
