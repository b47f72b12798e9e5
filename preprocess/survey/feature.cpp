#include "feature.hpp"

namespace civitas::survey {

const char* name_of(Art art) {
    switch (art) {
        case Art::building: return "Gebaeude";
        case Art::street: return "Strasse_Weg";
        case Art::sidewalk: return "Trottoir";
        case Art::island: return "Verkehrsinsel";
        case Art::railway: return "Bahn";
        case Art::paved: return "uebrige_befestigte";
        case Art::basin: return "Wasserbecken";
        case Art::field: return "Acker_Wiese_Weide";
        case Art::vineyard: return "Reben";
        case Art::garden: return "Gartenanlage";
        case Art::other_green: return "uebrige_humusierte";
        case Art::lake: return "stehendes_Gewaesser";
        case Art::river: return "fliessendes_Gewaesser";
        case Art::reeds: return "Schilfguertel";
        case Art::forest: return "geschlossener_Wald";
        case Art::copse: break;
    }
    return "uebrige_bestockte";
}

}  // namespace civitas::survey
