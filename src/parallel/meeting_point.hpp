#pragma once
/// Where threads wait for each other.
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>

namespace civitas::parallel {

/// Thrown where threads wait, in those that wait for one that has failed.
class Abandoned : public std::exception {
public:
    [[nodiscard]] const char* what() const noexcept override {
        return "another replica of this rank failed";
    }
};

/// A barrier that ends for all when one of its threads fails.
class MeetingPoint {
public:
    explicit MeetingPoint(int threads) : threads_(threads) {}

    /// Waits until all threads have come. Throws Abandoned when one fails instead, or has failed.
    void meet();
    /// This thread will not come. The first error that is told is kept.
    void fail(std::exception_ptr error);
    /// That error; null where none failed.
    [[nodiscard]] std::exception_ptr error() const;
    /// Forgets the error. Precondition: no thread is here.
    void open();

private:
    const int threads_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    int here_ = 0;
    std::int64_t meetings_ = 0;
    std::exception_ptr error_;
};

}  // namespace civitas::parallel
