#pragma once
/// The file of `name = value` lines that `--machine` names.
#include "resources.hpp"

#include <string>

namespace civitas::train {

/// Defaults where the file says nothing; all of them for an empty name. Throws UsageError for an
/// unknown name, and for numbers that no machine has.
[[nodiscard]] Resources read_resources(const std::string& file);

}  // namespace civitas::train
