#pragma once
/// Land cover of the official survey, as far as the synthetic survey uses it.
#include "geometry.hpp"

namespace civitas::survey {

enum class Art {
    building,
    street,
    sidewalk,
    island,
    railway,
    paved,
    basin,
    field,
    vineyard,
    garden,
    other_green,
    lake,
    river,
    reeds,
    forest,
    copse,
};

/// The federal spelling, as geodienste.ch delivers it.
[[nodiscard]] const char* name_of(Art art);

struct Feature {
    Art art = Art::garden;
    OGRPolygon land;
};

}  // namespace civitas::survey
