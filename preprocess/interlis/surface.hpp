#pragma once
/// Builds the polygon of a surface from the elements of INTERLIS 2.4's geometry: rings of straight
/// edges and arcs.
#include "preprocess/linework/areas.hpp"

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace civitas::interlis {

class SurfaceBuilder {
public:
    explicit SurfaceBuilder(linework::ArcStep step = {}) : arcs_(step), arcs_taken_(step) {}
    /// Take the begin, and the end with what it held, of an element by its name without its
    /// namespace; elements of other names mean nothing. Throw Error for rings that do not close and
    /// coordinates that are none.
    void begin(std::string_view element);
    void end(std::string_view element, std::string_view held);

    /// The surfaces since the last call: nothing, a polygon, or the multipolygon of several.
    [[nodiscard]] std::vector<OGRPolygon> take();
    void drop();

private:
    void end_vertex(bool arc);
    void end_ring();

    struct Numbers {
        std::optional<double> c1, c2, a1, a2;
    };
    Numbers numbers_;
    std::vector<linework::Point> ring_;
    linework::Arcs arcs_, arcs_taken_;
    OGRPolygon surface_;
    bool in_surface_ = false;
    std::vector<OGRPolygon> surfaces_;
};

}  // namespace civitas::interlis
