#pragma once
/// Whether a file still is what was written.
#include "civitas/base/error.hpp"
#include "layout.hpp"

namespace civitas::checkpoint {

/// The arrays of a file, by name, read by the root. Collective; throws AgreedError.
[[nodiscard]] std::vector<ArrayInfo> arrays_in(const comm::Communicator& ranks,
                                               const std::filesystem::path& file);
/// Names of the arrays whose bytes do not add up; the ranks share the reading. Collective; throws
/// AgreedError when the file cannot be read.
[[nodiscard]] std::vector<std::string> damaged_arrays(const comm::Communicator& ranks,
                                                      const std::filesystem::path& file);
[[nodiscard]] Error damage(const std::filesystem::path& file,
                           const std::vector<std::string>& arrays);

}  // namespace civitas::checkpoint
