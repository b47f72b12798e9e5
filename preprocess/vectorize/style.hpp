#pragma once
/// How QGIS and others draw a layer of a GeoPackage that brings its own style.
#include <string>

namespace civitas::vectorize {

struct Style {
    enum class Of { areas, lines };
    std::string layer;
    std::string fill;  ///< #rrggbb; empty: the outline alone
    std::string outline;
    double width = 0.1;  ///< millimetres on paper
    Of of = Of::areas;
};

/// QGIS's own format.
[[nodiscard]] std::string qml_of(const Style& style);
/// Styled Layer Descriptor 1.1, which other programs read.
[[nodiscard]] std::string sld_of(const Style& style);

}  // namespace civitas::vectorize
