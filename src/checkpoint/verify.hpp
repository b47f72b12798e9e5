#pragma once
/// Whether a file still is what was written.
#include "layout.hpp"

#include "civitas/base/error.hpp"
#include "civitas/comm/agree.hpp"

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
/// Sums over this rank's share of each array, as the storage has it: of what another rank wrote.
/// `arrays` tell where they are. Not collective; throws Error.
[[nodiscard]] std::vector<std::uint64_t> read_back(const std::filesystem::path& part,
                                                   const std::vector<ArrayInfo>& arrays, Rank rank,
                                                   int ranks);
/// A file in the making, and what it is to be called.
struct PartOf {
    std::filesystem::path part;
    std::filesystem::path name;
};
/// Throws AgreedError when a part is not what was written, by what read_back() ended with on this
/// rank and the sums it gave: then it is called `name`.damaged. `arrays`: what was written.
/// Collective.
void require_read_back(const comm::Communicator& ranks, const PartOf& file,
                       const std::vector<ArrayInfo>& arrays, const comm::Outcome& mine,
                       const std::vector<std::uint64_t>& sums);

}  // namespace civitas::checkpoint
