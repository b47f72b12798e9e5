#pragma once
/// Configurations of runs beside each other.
#include <map>
#include <string>
#include <vector>

namespace civitas::run_report {

/// The `name = value` lines of an INI text.
[[nodiscard]] std::map<std::string, std::string> values_of(const std::string& ini);

/// The names whose values are not the same in all, ascending; one that is missing somewhere is
/// among them.
[[nodiscard]] std::vector<std::string> differing(
    const std::vector<std::map<std::string, std::string>>& configurations);

}  // namespace civitas::run_report
