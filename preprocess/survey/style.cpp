#include "style.hpp"

#include "civitas/base/names.hpp"

namespace civitas::survey {
namespace {

constexpr std::array<NamedValue<Style>, 5> styles{{{"mixed", Style::mixed},
                                                   {"perimeter", Style::perimeter},
                                                   {"suburb", Style::suburb},
                                                   {"industry", Style::industry},
                                                   {"old-town", Style::old_town}}};

// In the rectangle of the survey's coordinates, but west and north of the country's border.
constexpr Point first_place{2500000, 1290000};
constexpr double between_places = 10000;
constexpr std::uint64_t places_of_a_style = 3;

}  // namespace

Style parse_style(std::string_view name) { return value_named(name, "style of a town", styles); }

std::string_view to_string(Style style) { return name_of(style, styles); }

std::string style_names() {
    std::string names;
    for (const auto& [name, style] : styles)
        names += text(names.empty() ? "" : style == styles.back().value ? " or " : ", ", name);
    return names;
}

Point place_of(const TownChoice& choice) {
    if (choice.style == Style::mixed) return first_place;
    const double east = static_cast<double>(static_cast<int>(choice.style));
    const double south = static_cast<double>(index(choice.seed) % places_of_a_style);
    return first_place + Point{east, -south} * between_places;
}

}  // namespace civitas::survey
