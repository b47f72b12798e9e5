#pragma once
/// A small town as a transfer of DMAV in INTERLIS 2.4, and as pieces to make others of.
#include "civitas/base/error.hpp"

#include <iomanip>
#include <string>
#include <vector>

namespace civitas::interlis::test {

struct MadeSurface {
    std::string art;
    std::vector<std::string> rings;  ///< the first is the exterior: elements within a polyline
    std::string status = "real";
};

inline std::string numbers(double x, double y, const char* first, const char* second) {
    return text(std::fixed, std::setprecision(3), "<geom:", first, '>', 2600000 + x,
                "</geom:", first, "><geom:", second, '>', 1200000 + y, "</geom:", second, '>');
}

inline std::string coord(double x, double y) {
    return "<geom:coord>" + numbers(x, y, "c1", "c2") + "</geom:coord>";
}

/// An arc through the first point to the second.
inline std::string arc(double through_x, double through_y, double x, double y) {
    return "<geom:arc>" + numbers(x, y, "c1", "c2") + numbers(through_x, through_y, "a1", "a2") +
           "</geom:arc>";
}

inline std::string ring(double x, double y, double width, double height) {
    return coord(x, y) + coord(x + width, y) + coord(x + width, y + height) + coord(x, y + height) +
           coord(x, y);
}

inline std::string half_round() { return coord(120, 20) + arc(140, 40, 160, 20) + coord(120, 20); }

/// The ground of the town in made_itf.hpp, and a house that is yet to be built.
inline std::vector<MadeSurface> surfaces() {
    return {{"Gebaeude", {ring(50, 50, 40, 30)}},
            {"Gebaeude", {half_round()}},
            {"befestigt.Strasse_Weg", {ring(0, 100, 200, 10)}},
            {"humusiert.Gartenanlage", {ring(0, 0, 200, 100), ring(50, 50, 40, 30), half_round()}},
            {"humusiert.Acker_Wiese_Weide", {ring(0, 110, 200, 90)}},
            {"Gebaeude", {ring(10, 120, 50, 50)}, "projektiert"}};
}

inline std::string to_text(const MadeSurface& surface) {
    std::string geometry;
    for (std::size_t i = 0; i < surface.rings.size(); ++i) {
        const char* kind = i == 0 ? "exterior" : "interior";
        geometry += text("<geom:", kind, "><geom:polyline>", surface.rings[i],
                         "</geom:polyline></geom:", kind, ">\n");
    }
    return text("<BB:Bodenbedeckung ili:tid=\"d", surface.rings.front().size(),
                "\">\n<BB:Geometrie>", "<geom:surface>", geometry,
                "</geom:surface></BB:Geometrie>\n",
                "<BB:Qualitaetsstandard>AV93</BB:Qualitaetsstandard>\n<BB:Bodenbedeckungsart>",
                surface.art, "</BB:Bodenbedeckungsart>\n<BB:Objektstatus>", surface.status,
                "</BB:Objektstatus>\n<BB:Objektname><BB:Objektname><BB:Name>M\u00fchle</BB:Name>",
                "</BB:Objektname></BB:Objektname>\n<BB:Entstehung ili:ref=\"n1\"/>\n",
                "</BB:Bodenbedeckung>\n");
}

inline std::string to_xtf(const std::vector<MadeSurface>& town) {
    std::string all =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<ili:transfer xmlns:ili=\"http://www.interlis.ch/xtf/2.4/INTERLIS\" "
        "xmlns:geom=\"http://www.interlis.ch/geometry/1.0\" "
        "xmlns:BB=\"http://www.interlis.ch/xtf/2.4/DMAV_Bodenbedeckung_V1_1\">\n"
        "<ili:headersection><ili:models><ili:model>DMAV_Bodenbedeckung_V1_1</ili:model>"
        "</ili:models><ili:sender>test</ili:sender></ili:headersection>\n<ili:datasection>\n"
        "<BB:Bodenbedeckung ili:bid=\"b1\">\n<BB:BBNachfuehrung ili:tid=\"n1\">"
        "<BB:NBIdent>ZZ</BB:NBIdent></BB:BBNachfuehrung>\n"
        "<BB:Messpunkt ili:tid=\"p1\"><BB:Geometrie>" +
        coord(5, 5) + "</BB:Geometrie></BB:Messpunkt>\n";
    for (const auto& surface : town) all += to_text(surface);
    return all + "</BB:Bodenbedeckung>\n</ili:datasection>\n</ili:transfer>\n";
}

}  // namespace civitas::interlis::test
