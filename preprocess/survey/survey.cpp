#include "survey.hpp"

#include "writer.hpp"

namespace civitas::survey {

void write_survey(const std::filesystem::path& gpkg, Seed seed, io::Replace replace) {
    const Town town = make_town(seed);
    io::AtomicFile file(gpkg, replace);
    std::filesystem::remove(file.part());  // GDAL wants to make it itself
    write_town(file.part(), town, seed);
    file.commit();
}

}  // namespace civitas::survey
