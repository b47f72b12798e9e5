#pragma once
/// What character a town of the synthetic survey has, and on which ground it lies.
#include "civitas/base/numbers.hpp"
#include "geometry.hpp"

#include <string>
#include <string_view>

namespace civitas::survey {

/// What stands on the built ground of a town. `mixed`: an old town, a centre, inner and outer
/// quarters and works, each in its place. The others have one kind of quarter up to their edge.
enum class Style {
    mixed,
    perimeter,  ///< blocks with houses wall to wall on all sides around a courtyard
    suburb,     ///< detached and row houses in gardens
    industry,   ///< halls on paved yards, wide blocks
    old_town,   ///< small houses wall to wall, small blocks, narrow streets
};

/// Throws UsageError, with the names that there are, for another one.
[[nodiscard]] Style parse_style(std::string_view name);
[[nodiscard]] std::string_view to_string(Style style);
[[nodiscard]] std::string style_names();  ///< all, as `mixed, perimeter, ... or old-town`

/// Everything that a town depends on.
struct TownChoice {
    Seed seed{};
    Style style = Style::mixed;
};

/// The lower left corner of a town in metres of EPSG:2056. Mixed towns have one place, whatever
/// their seed; every other style has three, 10 km or more apart from all others, for the three
/// remainders of the seed by 3. None is in Switzerland.
[[nodiscard]] Point place_of(const TownChoice& choice);

}  // namespace civitas::survey
