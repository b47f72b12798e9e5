#pragma once
/// Where the file that --config names says what an error is about.
#include "ini.hpp"

#include <string>
#include <vector>

namespace civitas::cli {

/// The file that a command line names with --config; empty where there is none.
[[nodiscard]] std::string config_of(const std::vector<std::string>& words);

/// The lines of the file whose options no word of the command line gives.
[[nodiscard]] std::vector<IniLine> in_force(std::vector<IniLine> lines,
                                            const std::vector<std::string>& words);

/// An error's words with the lines of the file that it is about, before its hint: "... (run.ini:3:
/// batch = 30). Hint: ...". It is about an option that it names with dashes, or by its name and its
/// value; what it has the place of already is not told again.
[[nodiscard]] std::string with_origin(const std::string& error, const std::vector<IniLine>& lines);

}  // namespace civitas::cli
