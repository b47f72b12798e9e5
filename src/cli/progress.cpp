#include "civitas/cli/progress.hpp"

#include "civitas/base/error.hpp"

#include <unistd.h>
#include <iostream>

namespace civitas::cli {

Progress::~Progress() {
    if (in_line_) std::cerr << '\n' << std::flush;
}

void Progress::tell(std::size_t done, std::size_t all) {
    const bool in_place = isatty(STDERR_FILENO) == 1;
    const std::chrono::seconds moment(in_place ? 2 : 10);
    if (tenths_ == 0 && std::chrono::steady_clock::now() - begun_ < moment) return;
    const std::string line = text(title_, ": ", done, " of ", all);
    const std::size_t tenths = 1 + 10 * done / all;
    if (in_place)
        std::cerr << '\r' << line << std::flush;
    else if (tenths > tenths_)
        std::cerr << line + '\n' << std::flush;
    tenths_ = tenths;
    in_line_ = in_place;
}

}  // namespace civitas::cli
