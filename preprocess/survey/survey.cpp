#include "survey.hpp"

#include "civitas/io/sqlite_file.hpp"
#include "writer.hpp"

namespace civitas::survey {

void write_survey(const std::filesystem::path& gpkg, const TownChoice& choice,
                  io::Replace replace) {
    io::require_no_changes_beside(gpkg);
    const Town town = make_town(choice);
    io::AtomicFile file(gpkg, replace);
    std::filesystem::remove(file.part());  // GDAL wants to make it itself
    write_town(file.part(), town, choice);
    io::require_no_changes_beside(gpkg);
    file.commit();
}

}  // namespace civitas::survey
