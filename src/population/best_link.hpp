#pragma once
/// The link to the best member of a population.
#include <filesystem>

namespace civitas::population {

/// Makes `folder`/best a relative link to `member`, in the place of one that is there, which is
/// never missing meanwhile. Throws Error, also where `best` is no link.
void link_best(const std::filesystem::path& folder, const std::filesystem::path& member);

}  // namespace civitas::population
