#pragma once
/// Whether a file still is what was written.
#include "layout.hpp"

#include "civitas/base/error.hpp"

#include <optional>

namespace civitas::checkpoint {

/// Names of the arrays whose bytes do not add up; the ranks share the reading, and each reads what
/// another one wrote. Collective; throws AgreedError when the file cannot be read.
[[nodiscard]] std::vector<std::string> damaged_arrays(const comm::Communicator& ranks,
                                                      const std::filesystem::path& file);
[[nodiscard]] Error damage(const std::filesystem::path& file,
                           const std::vector<std::string>& arrays);

/// What is wrong with a file; nothing when it is whole. Collective; throws AgreedError when the
/// ranks do not see one file, cannot read it now (UnreadableError), or have too little memory to.
[[nodiscard]] std::optional<std::string> problem_with(const comm::Communicator& ranks,
                                                      const std::filesystem::path& file);
/// Reads `part` back, which is to become `name`. Throws AgreedError when it is not what was
/// written: then the part is called `name`.damaged. Collective.
void require_written(const comm::Communicator& ranks, const std::filesystem::path& part,
                     const std::filesystem::path& name);

}  // namespace civitas::checkpoint
