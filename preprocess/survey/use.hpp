#pragma once
/// Which use a block is put to.
#include "blocks.hpp"

namespace civitas::survey {

enum class Use {
    terraces,  ///< houses wall to wall around a courtyard
    rows,
    detached,
    slabs,
    halls,
    school,
    church,
    square,
    park,
    green,
    field,
    vineyard,
    farm,
    forest,
};

[[nodiscard]] Use choose_use(const Site& site, Zone zone, const Ring& land, Dice& dice);

}  // namespace civitas::survey
