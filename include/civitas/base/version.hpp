#pragma once
/// The program's version, as stored in the files it writes, and what else results depend on.
#include <string>
#include <string_view>
#include <vector>

namespace civitas {

[[nodiscard]] std::string_view version() noexcept;

/// A library that the program runs with, or something of the machine, and what that is.
struct Component {
    std::string name;
    std::string version;  ///< in its own words
};

/// A line for each, the versions below each other.
[[nodiscard]] std::string to_text(const std::vector<Component>& components);

}  // namespace civitas
