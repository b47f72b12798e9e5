#pragma once
/// Work whose bits do not depend on the number of threads.
#include <ATen/Parallel.h>

namespace civitas::data {

/// ATen computes with one thread as long as it is here: some of its operators round otherwise where
/// several share the work.
class OneThread {
public:
    OneThread() : before_(at::get_num_threads()) { at::set_num_threads(1); }
    OneThread(const OneThread&) = delete;
    OneThread(OneThread&&) = delete;
    OneThread& operator=(const OneThread&) = delete;
    OneThread& operator=(OneThread&&) = delete;
    ~OneThread() { at::set_num_threads(before_); }

private:
    int before_;
};

}  // namespace civitas::data
