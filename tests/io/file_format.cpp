#include "civitas/io/file_format.hpp"

#include <catch2/catch.hpp>

using namespace civitas;
using io::FileFormat;

TEST_CASE("a file's format is told by its last extension, whatever its case") {
    CHECK(io::extension_of("folder.d/Plans.Tar.PNG") == ".png");
    CHECK(io::extension_of("folder.d/plans").empty());
    CHECK(io::format_of("a.b/report.JSON") == FileFormat::json);
    CHECK(io::format_of("page.htm") == FileFormat::html);
    CHECK(io::format_of("plans.hdf5") == FileFormat::hdf5);
    CHECK(io::format_of("plans.gpkg") == FileFormat::other);
    for (const char* none : {"png", ".png", "plans", "plans.png.old", "folder.png/plans", ""})
        CHECK_FALSE(io::format_of(none));
}

TEST_CASE("every format has extensions, each of which tells it") {
    for (const FileFormat format :
         {FileFormat::text, FileFormat::csv, FileFormat::json, FileFormat::html, FileFormat::svg,
          FileFormat::png, FileFormat::hdf5, FileFormat::safetensors, FileFormat::other}) {
        const auto extensions = io::extensions_of(format);
        CHECK_FALSE(extensions.empty());
        for (const auto extension : extensions)
            CHECK(io::format_of("plans" + std::string(extension)) == format);
    }
}
