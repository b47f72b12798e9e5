#pragma once
/// How far long work is that prints a result at its end.
#include <chrono>
#include <cstddef>
#include <string>
#include <utility>

namespace civitas::cli {

/// Tells on standard error how much is done of work that takes longer than a moment: in place on a
/// terminal, else a line every tenth. Not thread-safe.
class Progress {
public:
    explicit Progress(std::string title) : title_(std::move(title)) {}

    void tell(std::size_t done, std::size_t all);

private:
    std::string title_;
    std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
    std::size_t tenths_ = 0;  ///< told, and one more
};

}  // namespace civitas::cli
