#pragma once
/// Words of a command line that hints show.
#include <string>

namespace civitas {

/// A word as a shell takes it: as it stands where it has letters, digits and ``_./+,@%:=-`` only,
/// otherwise in single quotes.
[[nodiscard]] std::string shell_quoted(const std::string& word);

}  // namespace civitas
