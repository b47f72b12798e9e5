#pragma once
/// Inputs as people name them (a file, a folder, a zip) become datasets that GDAL opens.
#include <filesystem>
#include <string>
#include <vector>

namespace civitas::maps {

/// One thing that GDAL can open.
struct Candidate {
    std::string name;       ///< for GDAL: a path, /vsizip/..., ...
    std::string label;      ///< for people: the path, members of a zip after a `/`
    std::string stem;       ///< the file's name without folder and extension
    std::size_t input = 0;  ///< place of the input it belongs to
    std::string file;       ///< on disk: the map itself, or the zip it is in; or the connection
};

/// The GDAL driver for files of that extension, or for what is no file (see connection.hpp); null
/// when it is none of a map.
[[nodiscard]] const char* driver_of(const std::filesystem::path& file);
/// True for the name of a candidate in a zip.
[[nodiscard]] bool is_zipped(const std::string& name);

/// What commands of GDAL know it by, as a shell takes it; passwords are ***.
[[nodiscard]] std::string name_for_gdal(const Candidate& candidate);

/// The datasets of an input, in alphabetical order: the file itself, the maps in a folder or zip or
/// whose names match a pattern (`maps/*.gpkg`), or what GDAL connects to. Throws Error when it is
/// missing or holds none.
[[nodiscard]] std::vector<Candidate> find_datasets(const std::filesystem::path& input,
                                                   std::size_t number);

/// The files of an input, to be named and hashed: the file itself, a Shapefile's companions, all
/// maps of a folder or that match a pattern. What GDAL connects to has none.
[[nodiscard]] std::vector<std::filesystem::path> files_of(const std::filesystem::path& input);

/// What to call files: each by its name, or by as much of its path as no other file has, too.
[[nodiscard]] std::vector<std::string> short_names(const std::vector<std::filesystem::path>& files);

}  // namespace civitas::maps
