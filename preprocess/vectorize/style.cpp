#include "style.hpp"

#include "civitas/base/error.hpp"

#include <utility>
#include <vector>

namespace civitas::vectorize {
namespace {

/// "#c0504a" as QGIS writes it: "192,80,74,255".
std::string rgba(const std::string& colour) {
    const auto part = [&](std::size_t at) { return std::stoi(colour.substr(at, 2), nullptr, 16); };
    return text(part(1), ',', part(3), ',', part(5), ",255");
}

std::string parameter(const char* name, const std::string& value) {
    return text("<se:SvgParameter name=\"", name, "\">", value, "</se:SvgParameter>");
}

}  // namespace

std::string qml_of(const Style& style) {
    const bool filled = !style.fill.empty(), lines = style.of == Style::Of::lines;
    using Properties = std::vector<std::pair<const char*, std::string>>;
    const Properties properties =
        lines ? Properties{{"line_color", rgba(style.outline)},
                           {"line_style", "solid"},
                           {"line_width", text(style.width)},
                           {"line_width_unit", "MM"}}
              : Properties{{"color", rgba(filled ? style.fill : style.outline)},
                           {"style", filled ? "solid" : "no"},
                           {"outline_color", rgba(style.outline)},
                           {"outline_style", "solid"},
                           {"outline_width", text(style.width)},
                           {"outline_width_unit", "MM"}};
    std::string options, props;  // QGIS from 3.18 on reads the first, older ones the second
    for (const auto& [key, value] : properties) {
        options += text("<Option type=\"QString\" name=\"", key, "\" value=\"", value, "\"/>");
        props += text("<prop k=\"", key, "\" v=\"", value, "\"/>");
    }
    return text(
        "<qgis version=\"3.22.0\" styleCategories=\"Symbology\"><renderer-v2 type=\"singleSymbol\" "
        "symbollevels=\"0\" enableorderby=\"0\" forceraster=\"0\"><symbols><symbol type=\"",
        lines ? "line" : "fill",
        "\" name=\"0\" alpha=\"1\" clip_to_extent=\"1\" force_rhr=\"0\"><layer class=\"",
        lines ? "SimpleLine" : "SimpleFill",
        "\" enabled=\"1\" locked=\"0\" pass=\"0\"><Option type=\"Map\">", options, "</Option>",
        props, "</layer></symbol></symbols></renderer-v2></qgis>");
}

std::string sld_of(const Style& style) {
    const std::string symbol =
        style.of == Style::Of::lines ? "se:LineSymbolizer" : "se:PolygonSymbolizer";
    const std::string fill =
        style.fill.empty() ? "" : text("<se:Fill>", parameter("fill", style.fill), "</se:Fill>");
    const std::string stroke =
        text("<se:Stroke>", parameter("stroke", style.outline),
             parameter("stroke-width", text(style.width / 0.28)), "</se:Stroke>");  // in pixels
    return text(
        "<StyledLayerDescriptor xmlns=\"http://www.opengis.net/sld\" "
        "xmlns:se=\"http://www.opengis.net/se\" version=\"1.1.0\"><NamedLayer><se:Name>",
        style.layer, "</se:Name><UserStyle><se:Name>", style.layer,
        "</se:Name><se:FeatureTypeStyle><se:Rule><", symbol, ">", fill, stroke, "</", symbol,
        "></se:Rule></se:FeatureTypeStyle></UserStyle></NamedLayer></StyledLayerDescriptor>");
}

}  // namespace civitas::vectorize
