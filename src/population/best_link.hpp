#pragma once
/// The link to the best member of a population.
#include <filesystem>

namespace civitas::population {

/// Throws UsageError where `folder`/best is there and no link.
void require_place_for_best(const std::filesystem::path& folder);

/// Makes `folder`/best a relative link to `member`, in the place of one that is there, which is
/// never missing meanwhile. Throws Error, and as require_place_for_best().
void link_best(const std::filesystem::path& folder, const std::filesystem::path& member);

}  // namespace civitas::population
