#pragma once
/// What a table can do to keep less; the bits stay the same.
#include "civitas/planner/options.hpp"

#include <array>
#include <string>

namespace civitas::strategy {

struct Saving {
    bool redraw = false;
    bool recompute = false;
    [[nodiscard]] bool any() const { return redraw || recompute; }
};
/// All savings, from what costs nothing to what costs most time.
inline constexpr std::array<Saving, 4> savings{
    {{false, false}, {true, false}, {false, true}, {true, true}}};

/// The options that ask for a saving, in words: `--redraw and --recompute`.
[[nodiscard]] inline std::string in_words(Saving saving) {
    return std::string(saving.redraw ? "--redraw" : "") +
           (saving.redraw && saving.recompute ? " and " : "") +
           (saving.recompute ? "--recompute" : "");
}

}  // namespace civitas::strategy
