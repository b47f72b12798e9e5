#include "opened.hpp"

#include "civitas/base/error.hpp"

#include <utility>

namespace civitas::images {

data::StoreHeader image_header(const maps::Settings& settings, std::vector<std::string> classes) {
    data::StoreHeader header;
    header.tile_metres = 1;  // images cover no ground, and a store has no tiles of none
    header.pixels = settings.pixels;
    header.content = data::Content::rgb;
    header.label_names = std::move(classes);
    header.licence =
        settings.licence.empty() ? "The terms of the source images apply." : settings.licence;
    header.command = settings.command;
    return header;
}

std::string summary(const Opened& opened) {
    std::int64_t test = 0;
    for (std::int64_t i = 0; i < opened.images->size(); ++i)
        test += opened.images->record(i).split == data::Split::test ? 1 : 0;
    return text(opened.images->size(), " images of ", opened.header.label_names.size(),
                " classes: ", opened.images->size() - test, " to train, ", test, " to test");
}

}  // namespace civitas::images
