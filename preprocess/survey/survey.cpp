#include "survey.hpp"

#include "writer.hpp"

namespace civitas::survey {

void write_survey(const std::filesystem::path& gpkg, const TownChoice& choice,
                  io::Replace replace) {
    const Town town = make_town(choice);
    io::AtomicFile file(gpkg, replace);
    std::filesystem::remove(file.part());  // GDAL wants to make it itself
    write_town(file.part(), town, choice);
    file.commit();
}

}  // namespace civitas::survey
