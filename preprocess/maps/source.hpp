#pragma once
/// Inputs as people name them (a file, a folder, a zip) become datasets that GDAL opens.
#include "gdal.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace civitas::maps {

/// One thing that GDAL can open.
struct Candidate {
    std::string name;       ///< for GDAL: a path, /vsizip/..., ...
    std::string label;      ///< for people: the path, members of a zip after a `/`
    std::string stem;       ///< the file's name without folder and extension
    std::size_t input = 0;  ///< place of the input it belongs to
    std::string file;       ///< on disk: the map itself, or the zip it is in
};

/// The datasets of an input, in alphabetical order: the file itself, or the maps in a folder or
/// zip. Throws Error when it is missing or holds none.
[[nodiscard]] std::vector<Candidate> find_datasets(const std::filesystem::path& input,
                                                   std::size_t number);

/// Throws Error that names the driver this build of GDAL lacks, or says why it cannot be read, or
/// not in full (unless that is to be borne). Leaves no file beside the map.
[[nodiscard]] Dataset open_dataset(Gdal& gdal, const Candidate& candidate, bool bear_damage);

/// Datasets that stay open between looking and reading.
class OpenMaps {
public:
    explicit OpenMaps(Gdal& gdal, bool bear_damage = false)
        : gdal_(gdal), bear_damage_(bear_damage) {}
    [[nodiscard]] Gdal& gdal() { return gdal_; }
    /// Opened at the first call; stays until dropped.
    [[nodiscard]] GDALDataset& get(const Candidate& candidate);
    void drop(const Candidate& candidate) { open_.erase(candidate.name); }
    /// Keep few: every open Shapefile costs three file descriptors.
    void drop_surplus();

private:
    Gdal& gdal_;
    bool bear_damage_;
    std::map<std::string, Dataset> open_;
};

/// The files of an input, to be named and hashed: the file itself, a Shapefile's companions, or all
/// maps of a folder.
[[nodiscard]] std::vector<std::filesystem::path> files_of(const std::filesystem::path& input);

}  // namespace civitas::maps
