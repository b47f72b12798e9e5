#pragma once
/// How far long work is that prints a result at its end.
#include <chrono>
#include <cstddef>
#include <string>
#include <utility>

namespace civitas::cli {

/// Tells on standard error how much is done of work that takes longer than a moment: in place on a
/// terminal, else a line every tenth. One thread at a time may tell.
class Progress {
public:
    explicit Progress(std::string title) : title_(std::move(title)) {}
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
    /// Ends its line on a terminal, if it has begun one: an error may follow.
    ~Progress();

    void tell(std::size_t done, std::size_t all);

private:
    std::string title_;
    std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
    std::size_t tenths_ = 0;  ///< One more than were told of, or 0.
    bool in_line_ = false;
};

}  // namespace civitas::cli
