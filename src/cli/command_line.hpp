#pragma once
/// Words of a command line cut into names and values by Boost.Program_options; what they mean is
/// decided in options.cpp.
#include "entry.hpp"

#include <string>
#include <vector>

namespace civitas::cli {

/// A name and a value as somebody wrote them. A word without a dash has no name.
struct Mention {
    std::string name;
    std::string value;
    std::string place;  ///< "run.ini:3"; empty on the command line
};

/// Names need not be known. Throws UsageError when a known option lacks its value.
[[nodiscard]] std::vector<Mention> read_command_line(const std::vector<std::string>& words,
                                                     const std::vector<Entry>& entries);

}  // namespace civitas::cli
