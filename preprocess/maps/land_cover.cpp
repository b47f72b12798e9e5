#include "land_cover.hpp"

#include "words.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <regex>
#include <utility>

namespace civitas::maps {
namespace {

struct Kind {
    std::string_view name;
    LandClass value;
};

/// In the order of the federal model, so that the place is the number; then the names of groups
/// and the spellings that are no extension of another name.
constexpr std::array kinds{
    Kind{"gebaeude", LandClass::building},
    Kind{"strasse_weg", LandClass::road},
    Kind{"trottoir", LandClass::road},
    Kind{"verkehrsinsel", LandClass::road},
    Kind{"bahn", LandClass::other},
    Kind{"flugplatz", LandClass::other},
    Kind{"wasserbecken", LandClass::other},
    Kind{"uebrige_befestigte", LandClass::other},
    Kind{"acker_wiese", LandClass::other},
    Kind{"reben", LandClass::other},
    Kind{"uebrige_intensivkultur", LandClass::other},
    Kind{"gartenanlage", LandClass::other},
    Kind{"hoch_flachmoor", LandClass::other},
    Kind{"uebrige_humusierte", LandClass::other},
    Kind{"stehendes", LandClass::other},
    Kind{"fliessendes", LandClass::other},
    Kind{"schilfguertel", LandClass::other},
    Kind{"geschlossener_wald", LandClass::other},
    Kind{"wytweide_dicht", LandClass::other},
    Kind{"wytweide_offen", LandClass::other},
    Kind{"uebrige_bestockte", LandClass::other},
    Kind{"fels", LandClass::other},
    Kind{"gletscher_firn", LandClass::other},
    Kind{"geroell_sand", LandClass::other},
    Kind{"abbau_deponie", LandClass::other},
    Kind{"uebrige_vegetationslose", LandClass::other},
    Kind{"befestigt", LandClass::other},
    Kind{"humusiert", LandClass::other},
    Kind{"gewaesser", LandClass::other},
    Kind{"bestockt", LandClass::other},
    Kind{"vegetationslos", LandClass::other},
    Kind{"wytweide", LandClass::other},
    Kind{"strasse", LandClass::road},
};
constexpr int federal_numbers = 26;

void replace_all(std::string& word, std::string_view from, std::string_view to) {
    for (auto at = word.find(from); at != std::string::npos; at = word.find(from, at + to.size()))
        word.replace(at, from.size(), to);
}

/// Lower case, umlauts as two letters, `_` between words.
std::string canonical(std::string_view component) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 8> spellings{{{"ä", "ae"},
                                                                                      {"ö", "oe"},
                                                                                      {"ü", "ue"},
                                                                                      {"Ä", "ae"},
                                                                                      {"Ö", "oe"},
                                                                                      {"Ü", "ue"},
                                                                                      {" ", "_"},
                                                                                      {"-", "_"}}};
    std::string word(component);
    for (const auto& [from, to] : spellings) replace_all(word, from, to);
    return lower(word);
}

bool extends(std::string_view word, std::string_view name) {
    return word == name ||
           (word.size() > name.size() && word.starts_with(name) && word[name.size()] == '_');
}

std::optional<LandClass> class_of_component(std::string_view component) {
    const std::string word = canonical(component);
    const auto known = std::find_if(kinds.begin(), kinds.end(),
                                    [&](const Kind& kind) { return extends(word, kind.name); });
    return known == kinds.end() ? std::nullopt : std::optional(known->value);
}

}  // namespace

std::optional<LandClass> land_class_of_name(std::string_view art) {
    auto components = split(art, '.');
    std::reverse(components.begin(), components.end());
    for (const auto& component : components)
        if (const auto found = class_of_component(component)) return found;
    return std::nullopt;
}

std::optional<LandClass> land_class_of_number(int art) {
    if (art < 0 || art >= federal_numbers) return std::nullopt;
    return kinds[static_cast<std::size_t>(art)].value;
}

std::optional<int> land_cover_number(std::string_view art) {
    int number = 0;
    const auto* end = art.data() + art.size();
    const auto [stop, problem] = std::from_chars(art.data(), end, number);
    if (problem != std::errc{} || stop != end) return std::nullopt;
    return number;
}

bool is_federal_model(std::string_view model) {
    static const std::regex federal(
        "(dm01avch|md01moch|md01much)([0-9]{2})?((lv|mn)(95|03))?[dfi]?");
    return std::regex_match(lower(model), federal);
}

}  // namespace civitas::maps
