#pragma once
/// Files of `name = value` lines. Boost's reader cuts values at any `#`, so paths and filters could
/// not be kept; here a comment needs a line of its own or a blank before its `#`, and a value in
/// double quotes is taken as it stands (`\"`, `\\` and `\n` inside).
#include <iosfwd>
#include <string>
#include <vector>

namespace civitas::cli {

struct IniLine {
    std::string name;
    std::string value;
    std::string place;  ///< "run.ini:3", for messages
};

/// Throws UsageError when a line is no `name = value`. `name`: of the file, for messages.
[[nodiscard]] std::vector<IniLine> read_ini(std::istream& in, const std::string& name);

/// `value` as it must stand after `=`: in quotes where it would otherwise be read differently.
[[nodiscard]] std::string ini_value(const std::string& value);

}  // namespace civitas::cli
