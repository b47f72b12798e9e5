#pragma once
/// Options that the others leave nothing to do.
#include "civitas/planner/options.hpp"

#include <string>
#include <vector>

namespace civitas::train {

/// A sentence for each option that counts for another choice than the one made, as a file of
/// options may say it: `--servers 2 does nothing by --update sync: it is of server`.
[[nodiscard]] std::vector<std::string> idle_options(const planner::Configuration& configuration);

}  // namespace civitas::train
