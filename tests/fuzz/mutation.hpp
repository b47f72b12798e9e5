#pragma once
/// Files with a few changes, by formula.
#include "kinds.hpp"

namespace civitas::fuzz {

struct CaseNumber {
    std::uint64_t seed = 1;
    std::uint64_t number = 0;
};

/// One to four changes of a file that is not empty: flipped bits, extreme numbers, blocks that
/// swap, repeat or go, an end cut off. Most fall on bytes that are not zero; in a text some are
/// lines.
[[nodiscard]] Bytes mutated(Bytes bytes, bool text, CaseNumber which);

}  // namespace civitas::fuzz
