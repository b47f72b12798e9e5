#pragma once
/// What the classes of a classifier, or the sources of a condition, are called, as a note of
/// checkpoints.
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace civitas::runs {

inline constexpr const char* class_names_note = "class-names";

/// The note: a JSON list of the names, in the order of the logits; none without names.
[[nodiscard]] std::map<std::string, std::string> note_of_classes(
    const std::vector<std::string>& names);

/// The names that a checkpoint says; none where it does not, or says something else.
[[nodiscard]] std::vector<std::string> class_names(const std::map<std::string, std::string>& notes);

/// The lines of a text, a name each. Throws UsageError where one is empty or there twice, and where
/// there is none.
[[nodiscard]] std::vector<std::string> class_names_in(const std::filesystem::path& file);

}  // namespace civitas::runs
