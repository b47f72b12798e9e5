#pragma once
/// `--buildings LAYER[:WHERE]`: which layer, and which of its features.
#include <optional>
#include <string>
#include <vector>

namespace civitas::maps {

/// A layer by its own name and by that of the file it is in (a zip of one GML file per layer).
struct LayerName {
    std::string layer;
    std::string file_stem;
};

struct Selection {
    std::size_t layer = 0;  ///< place in the list searched
    std::string where;      ///< condition in OGR SQL; empty: all features
};

/// What a selector selects in a list of layers. Names may hold colons (`ms:LCSF`), whatever the
/// case; a layer's own name comes before its file's.
[[nodiscard]] std::optional<Selection> select_layer(const std::string& selector,
                                                    const std::vector<LayerName>& layers);

/// True if the selector may mean something in a file of this stem.
[[nodiscard]] bool names_file(const std::string& selector, const std::string& file_stem);

}  // namespace civitas::maps
