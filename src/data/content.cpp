#include "civitas/base/error.hpp"
#include "civitas/data/tile_store.hpp"

namespace civitas::data {

void require_classes(const TileStore& store) {
    if (store.header().content == Content::classes) return;
    throw UsageError(text(store.file(), " holds ", store.size(), " images (content ",
                          to_string(store.header().content),
                          "), and what is asked for needs tiles of land classes"),
                     Hint{"civitas-preprocess makes them from maps; images are for classifiers: "
                          "civitas train --task classify"});
}

void require_coding(const TileStore& store, Coding coding) {
    const bool image = store.header().content == Content::rgb;
    if (image == (coding == Coding::rgb)) return;
    throw UsageError(text(store.file(), " holds ", image ? "images" : "land classes",
                          ", which have no coding ", to_string(coding)),
                     Hint{image ? "a net trained with --coding rgb"
                                : "a net trained with --coding colour, or grey"});
}

}  // namespace civitas::data
