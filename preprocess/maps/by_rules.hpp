#pragma once
/// Which layers the rules of --layers name, and what is read of them.
#include "plan.hpp"

namespace civitas::maps {

/// The rules that `--layers` names: those that come with the program, or a file's. Throws
/// UsageError for neither.
[[nodiscard]] RuleFile load_rules(const std::string& layers);

/// True if --layers names a file.
[[nodiscard]] bool are_in_file(const std::string& layers);

/// The layers of an input that the rules name and whose fields they have. Notes what is passed
/// over. Throws UsageError when there is none, with those there are.
[[nodiscard]] std::vector<Task> tasks_by_rules(const RuleFile& rules,
                                               const std::vector<Candidate>& candidates,
                                               OpenMaps& maps, const Settings& settings,
                                               std::vector<std::string>& notes);

/// "its layers: ..., a file of rules to start from", for an input that is not understood.
[[nodiscard]] std::string rules_to_start_from(const std::vector<Candidate>& candidates,
                                              OpenMaps& maps);

}  // namespace civitas::maps
