#include "preprocess/survey/survey.hpp"

#include "preprocess/survey/writer.hpp"

namespace civitas::survey {

void write_survey(const std::filesystem::path& gpkg, Seed seed) {
    const Town town = make_town(seed);
    std::filesystem::path part = gpkg;
    part.replace_extension(".part.gpkg");
    std::error_code ignored;
    std::filesystem::remove(part, ignored);
    try {
        write_town(part, town, seed);
        std::filesystem::rename(part, gpkg);
    } catch (...) {
        std::filesystem::remove(part, ignored);
        throw;
    }
}

}  // namespace civitas::survey
