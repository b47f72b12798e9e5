#pragma once
/// Whether the parts of all ranks make up whole arrays.
#include "layout.hpp"

namespace civitas::checkpoint {

/// The arrays that parts are of, by name. Throws Error unless parts agree on shape and type, and
/// the writing ones cover each array exactly once. Time grows like n log n with the parts.
[[nodiscard]] std::vector<ArrayInfo> arrays_of(const std::vector<Part>& parts);

/// Throws Error unless every element of the array lies in exactly one box. Returns the number of
/// corners that had to be looked at: of n boxes cut in d dims, (n + 1) 2^d.
std::size_t require_exact_cover(const ArrayInfo& array, const std::vector<const Box*>& boxes);

}  // namespace civitas::checkpoint
