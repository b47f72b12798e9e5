#pragma once
/// What tests of exchanges cut a flat tensor into.
#include "civitas/base/numbers.hpp"

#include <vector>

namespace civitas::test {

/// Slices of unlike length with a gap before each, the second empty.
inline std::vector<Range> slices_for(int ranks) {
    std::vector<Range> slices;
    std::int64_t begin = 0;
    for (int r = 0; r < ranks; ++r) {
        slices.push_back({begin + 2, r == 1 ? 0 : 1000 + r});
        begin = slices.back().end();
    }
    return slices;
}

}  // namespace civitas::test
